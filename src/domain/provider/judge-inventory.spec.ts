import { judgeInventory, type InventoryItem, type InventoryRow } from './judge-inventory';

const now = new Date('2027-01-01T12:00:00Z');
const at = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);
const where = {
  addresses: ['10.0.0.1'],
  talosEndpoint: '10.0.0.1:50000',
  kubernetesEndpoint: '10.0.0.1:6443',
};
const item = (n: number, more: Partial<InventoryItem> = {}): InventoryItem => ({
  ref: `vm-${n}`,
  machineId: `m${n}`,
  ...where,
  ...more,
});
const row = (n: number, more: Partial<InventoryRow> = {}): InventoryRow => ({
  ref: `vm-${n}`,
  machineId: `m${n}`,
  ...where,
  lastSeenAt: at(-60),
  missingSince: null,
  goneAt: null,
  ...more,
});
const nothing = { seen: [], returned: [], moved: [], appeared: [], missing: [], gone: [], disputed: [] };
const moved = item(1, { talosEndpoint: '10.0.0.9:50000' });

test.each<[string, InventoryItem[], InventoryRow[], object]>([
  ['a known machine', [item(1)], [row(1)], { seen: ['m1'] }],
  ['a known machine elsewhere', [moved], [row(1)], { seen: ['m1'], moved: [moved] }],
  ['a machine that nobody asked for', [item(2)], [row(1, { goneAt: at(-5) })], { appeared: [item(2)] }],
  ['not named for the first time', [], [row(1)], { missing: ['m1'] }],
  ['seen a moment ago by another agent', [], [row(1, { lastSeenAt: at(-5) })], {}],
  ['not named again', [], [row(1, { missingSince: at(-60) })], { gone: ['m1'] }],
  ['two agents miss it at once', [], [row(1, { missingSince: at(-1) })], {}],
  ['gone already', [], [row(1, { missingSince: at(-60), goneAt: at(-50) })], {}],
  ['destroyed while the report was on its way', [item(1)], [row(1, { goneAt: at(-5) })], {}],
  ['back again', [item(1)], [row(1, { goneAt: at(-50) })], { seen: ['m1'], returned: ['m1'] }],
  [
    'back with another id',
    [item(1, { machineId: 'm9' })],
    [row(1, { goneAt: at(-50) })],
    { disputed: [item(1, { machineId: 'm9' })] },
  ],
  [
    'an id under a second reference',
    [item(1, { ref: 'vm-7' })],
    [row(1, { goneAt: at(-1) })],
    { disputed: [item(1, { ref: 'vm-7' })] },
  ],
  ['an id of another provider', [item(8)], [], { disputed: [item(8)] }],
  ['the same twice', [item(2), item(2)], [], { appeared: [item(2)] }],
])('%s', (_what, items, rows, verdict) => {
  expect(judgeInventory({ items, rows, idsElsewhere: new Set(['m8']), now, settleMs: 30_000 })).toEqual({
    ...nothing,
    ...verdict,
  });
});
