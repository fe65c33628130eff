// B7: the planner alone, one snapshot -> one plan, and how its cost grows with the machines.
import { createRequire } from 'node:module';
import { median, report } from './measure.mjs';

const require = createRequire(import.meta.url);
const { planCluster } = require('../dist/domain/planner/plan-cluster.js');

const SHAPE = { cpus: 2, memoryBytes: 4, diskBytes: 8 };

function snapshot(controlPlanes, workers) {
  const now = new Date('2026-01-01T00:00:00Z');
  const names = Array.from({ length: controlPlanes }, (_, i) => `cp-${i}`);
  const members = names.map((name) => ({ id: name, hostname: name, isLearner: false }));
  const set = (id, role, replicas) => ({
    id,
    name: id,
    role,
    replicas,
    sourceKind: role === 'worker' ? 'class' : 'managed',
    wantedMachineIds: [],
    retired: false,
    supply: { providerId: 'p', shape: SHAPE },
    requestSet: { id: `${id}-requests`, replicas },
  });
  const machine = (name, setId, role) => ({
    id: name,
    setId,
    role,
    hostname: name,
    requestId: `request-${name}`,
    gone: false,
    factsAt: now,
    configHash: 'h',
    desiredConfigHash: 'h',
    configAppliedAt: now,
    facts: {
      contact: 'configured',
      stage: 'running',
      ready: true,
      kubernetesReady: true,
      nodeReady: true,
      ...(role === 'control-plane' && {
        etcd: { memberId: name, members, leaderId: 'cp-0', isLearner: false, alarms: [] },
      }),
    },
  });
  const machines = [
    ...names.map((name) => machine(name, 'cps', 'control-plane')),
    ...Array.from({ length: workers }, (_, i) => machine(`w-${i}`, 'workers', 'worker')),
  ];
  return {
    now,
    machines,
    wanted: [],
    affiliatesCleaned: false,
    cluster: {
      id: 'c',
      name: 'c',
      managed: true,
      generation: 1,
      spec: {},
      hasSecrets: true,
      wasReady: true,
      bootstrapMachineId: 'cp-0',
      bootstrappedAt: now,
    },
    sets: [set('cps', 'control-plane', controlPlanes), set('workers', 'worker', workers)],
    requests: machines.map((m) => ({
      id: m.requestId,
      name: m.hostname,
      setId: m.setId,
      phase: 'Provisioned',
      createdAt: now,
      neverClaimed: false,
      givenUp: false,
      machineId: m.id,
    })),
  };
}

/** Milliseconds of one plan: the median of batches. */
function cost(given) {
  for (let i = 0; i < 200; i += 1) planCluster(given);
  const samples = Array.from({ length: 15 }, () => {
    const start = performance.now();
    for (let i = 0; i < 100; i += 1) planCluster(given);
    return (performance.now() - start) / 100;
  });
  return median(samples);
}

export function run() {
  const [small, large, largest] = [cost(snapshot(5, 10)), cost(snapshot(5, 100)), cost(snapshot(5, 1000))];
  const growth = largest / large / (1005 / 105);
  return [
    report('B7', 'plan of 5 control planes and 10 workers', `${small.toFixed(3)} ms`),
    report('B7', 'plan of 5 control planes and 100 workers', `${large.toFixed(3)} ms`, 'target < 2 ms'),
    report('B7', 'cost from 105 to 1,005 machines, over linear growth', growth.toFixed(2), '1.0 is linear'),
  ];
}
