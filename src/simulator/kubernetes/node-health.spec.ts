import { isReady, withLeaseHealth } from './node-health';
import { leaseObject, nodeObject, type SimulatedNode } from './node-objects';

const NODE: SimulatedNode = {
  name: 'n1',
  addresses: ['10.0.0.1'],
  role: 'worker',
  kubernetesVersion: '1.36.0',
  talosVersion: '1.13.9',
};
const T0 = Date.parse('2026-01-01T00:00:00Z');

test.each([
  ['fresh lease', 10_000, true],
  ['lease just at the limit', 40_000, true],
  ['lease older than 40 s', 40_001, false],
])('%s', (_, age, ready) => {
  const node = withLeaseHealth(nodeObject(NODE, T0), leaseObject(NODE, T0), T0 + age);
  expect(isReady(node)).toBe(ready);
});

test('a silent node turned at the moment when its lease ran out', () => {
  const node = withLeaseHealth(nodeObject(NODE, T0), leaseObject(NODE, T0), T0 + 100_000);
  expect(node['status']).toMatchObject({
    conditions: expect.arrayContaining([
      expect.objectContaining({
        type: 'Ready',
        status: 'Unknown',
        lastTransitionTime: '2026-01-01T00:00:40Z',
      }),
    ]) as unknown,
  });
});

test('a node that speaks again is Ready again, even if somebody wrote the silence down', () => {
  const silent = withLeaseHealth(nodeObject(NODE, T0), leaseObject(NODE, T0), T0 + 100_000);
  expect(isReady(withLeaseHealth(silent, leaseObject(NODE, T0 + 100_000), T0 + 101_000))).toBe(true);
});

test('a node without a lease is left as it is', () => {
  expect(isReady(withLeaseHealth(nodeObject(NODE, T0), undefined, T0 + 1e9))).toBe(true);
});
