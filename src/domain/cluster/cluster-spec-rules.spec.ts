import { CONTROL_PLANE_SET, type ClusterSpec, type MachineSource, type MachineSetSpec } from './cluster-spec';
import { diffClusterSpec } from './diff-cluster-spec';
import { judgeUnavailableFields } from './judge-unavailable-fields';
import { listMachineSets } from './list-machine-sets';
import { listTenantPatches } from './list-tenant-patches';
import { refuseImmutableChange } from './refuse-immutable-change';
import { refuseUnavailableChange } from './refuse-unavailable-change';

const set = (
  name: string,
  role: MachineSetSpec['role'],
  source: MachineSource,
  patches: string[] = [],
): MachineSetSpec => ({
  name,
  role,
  source,
  patches: patches.map((content, i) => ({ name: `${name}-${i}`, content })),
  labels: {},
  annotations: {},
});
const managed: MachineSource = { kind: 'managed', provider: 'default', size: 'm' };
const machines: MachineSource = { kind: 'machines', machineIds: ['a', 'b'] };

function spec(overrides: Partial<ClusterSpec> = {}): ClusterSpec {
  return {
    name: 'demo',
    labels: {},
    annotations: {},
    talosVersion: '1.8.2',
    kubernetesVersion: '1.31.1',
    features: {
      diskEncryption: false,
      enableWorkloadProxy: false,
      useEmbeddedDiscoveryService: false,
      enableNodeAuditSkip: false,
      backupIntervalSeconds: 0,
    },
    patches: [],
    manifests: [],
    controlPlane: set(CONTROL_PLANE_SET, 'control-plane', managed),
    workers: [set('workers', 'worker', machines)],
    machines: [],
    ...overrides,
  };
}

describe('listMachineSets', () => {
  test('wants as many machines as the tier, the list or the class says', () => {
    const sets = listMachineSets(
      spec({
        workers: [
          set('w', 'worker', machines),
          set('c', 'worker', { kind: 'class', className: 'x', size: 4 }),
        ],
      }),
    );
    expect(sets.map((s) => [s.name, s.sourceKind, s.replicas])).toEqual([
      [CONTROL_PLANE_SET, 'managed', 3],
      ['w', 'machines', 2],
      ['c', 'class', 4],
    ]);
  });
});

describe('listTenantPatches', () => {
  test('weighs by scope, in the order of the template', () => {
    const patches = listTenantPatches(
      spec({
        patches: [
          { name: 'one', content: 'a' },
          { name: 'two', content: 'b' },
        ],
        workers: [set('w', 'worker', machines, ['c'])],
        machines: [
          {
            machineId: 'm',
            locked: false,
            patches: [{ name: 'own', content: 'd' }],
            labels: {},
            annotations: {},
          },
        ],
      }),
    );
    expect(patches.map((p) => [p.name, p.weight, p.setName ?? p.machineId])).toEqual([
      ['one', 100, undefined],
      ['two', 101, undefined],
      ['w-0', 200, 'w'],
      ['own', 400, 'm'],
    ]);
  });
});

describe('refuseImmutableChange', () => {
  const own = spec({ controlPlane: set(CONTROL_PLANE_SET, 'control-plane', machines) });
  const moved = spec({
    controlPlane: set(CONTROL_PLANE_SET, 'control-plane', { ...managed, provider: 'other' }),
  });
  const byClass = spec({ workers: [set('workers', 'worker', { kind: 'class', className: 'x', size: 1 })] });
  test.each([
    { name: 'the same spec', before: spec(), after: spec(), occupiedSets: ['workers'], codes: [] },
    {
      name: 'managed to own machines',
      before: spec(),
      after: own,
      occupiedSets: [],
      codes: ['MANAGED_IMMUTABLE'],
    },
    {
      name: 'own machines to managed',
      before: own,
      after: spec(),
      occupiedSets: [],
      codes: ['MANAGED_IMMUTABLE'],
    },
    {
      name: 'another provider',
      before: spec(),
      after: moved,
      occupiedSets: [],
      codes: ['PROVIDER_IMMUTABLE'],
    },
    {
      name: 'source of an occupied set',
      before: spec(),
      after: byClass,
      occupiedSets: ['workers'],
      codes: ['SOURCE_IMMUTABLE'],
    },
    { name: 'source of an empty set', before: spec(), after: byClass, occupiedSets: [], codes: [] },
  ])('$name: $codes', ({ before, after, occupiedSets, codes }) => {
    expect(refuseImmutableChange({ before, after, occupiedSets }).map((v) => v.code)).toEqual(codes);
  });
});

describe('diffClusterSpec', () => {
  test('is empty for equal specs, whatever the order of their keys', () => {
    const { name, ...rest } = spec();
    expect(diffClusterSpec(spec(), { ...rest, name })).toEqual([]);
  });

  test('names what changes, and never the content of a patch', () => {
    const before = spec({ patches: [{ name: 'p', content: 'secret-one' }] });
    const after = spec({
      kubernetesVersion: '1.31.2',
      patches: [{ name: 'p', content: 'secret-two' }],
      workers: [],
    });
    const changes = diffClusterSpec(before, after);
    expect(changes).toEqual([
      { path: 'kubernetesVersion', change: 'changed', before: '1.31.1', after: '1.31.2' },
      { path: 'patches.p.content', change: 'changed' },
      { path: 'workers.workers', change: 'removed' },
    ]);
    expect(JSON.stringify(changes)).not.toContain('secret-');
  });

  test('sees that patches change places', () => {
    const [a, b] = [
      { name: 'a', content: '1' },
      { name: 'b', content: '2' },
    ];
    expect(diffClusterSpec(spec({ patches: [a, b] }), spec({ patches: [b, a] }))).toEqual([
      { path: 'patches', change: 'changed', before: 'a, b', after: 'b, a' },
    ]);
  });
});

describe('refuseUnavailableChange', () => {
  const sized = (source: MachineSource): Partial<ClusterSpec> => ({
    controlPlane: set(CONTROL_PLANE_SET, 'control-plane', source),
  });
  test.each([
    ['nothing', {}, []],
    ['workers', { workers: [] }, []],
    ['Talos', { talosVersion: '1.8.4' }, ['Cluster.talos.version UPGRADE_UNAVAILABLE']],
    ['Kubernetes', { kubernetesVersion: '1.31.2' }, ['Cluster.kubernetes.version UPGRADE_UNAVAILABLE']],
    [
      'the tier',
      sized({ kind: 'managed', provider: 'default', size: 'l' }),
      ['ControlPlane.managed.size RESIZE_UNAVAILABLE'],
    ],
  ])('a change of %s: %j', (_what, change, expected) => {
    expect(refuseUnavailableChange(spec(), spec(change)).map((v) => `${v.path} ${v.code}`)).toEqual(expected);
  });
});

describe('judgeUnavailableFields', () => {
  const { features } = spec();
  const cps = set(CONTROL_PLANE_SET, 'control-plane', managed);
  test.each([
    ['nothing special', {}, [], []],
    [
      'disk encryption',
      { features: { ...features, diskEncryption: true } },
      ['Cluster.features.diskEncryption'],
      [],
    ],
    [
      'a restore',
      { controlPlane: { ...cps, bootstrapSpec: { clusterUUID: 'u', snapshot: 's' } } },
      ['ControlPlane.bootstrapSpec'],
      [],
    ],
    [
      'a class without end',
      { workers: [set('w', 'worker', { kind: 'class', className: 'c', size: 'unlimited' })] },
      ['Workers[w].machineClass.size'],
      [],
    ],
    ['extensions', { systemExtensions: ['siderolabs/x'] }, [], ['Cluster.systemExtensions']],
    ['cleared extensions', { systemExtensions: [] }, [], []],
    [
      'the workload proxy',
      { features: { ...features, enableWorkloadProxy: true } },
      [],
      ['Cluster.features.enableWorkloadProxy'],
    ],
  ] as [string, Partial<ClusterSpec>, string[], string[]][])('%s', (_what, change, violations, warnings) => {
    const verdict = judgeUnavailableFields(spec(change));
    expect({
      violations: verdict.violations.map((v) => v.path),
      warnings: verdict.warnings.map((w) => w.path),
    }).toEqual({ violations, warnings });
  });
});
