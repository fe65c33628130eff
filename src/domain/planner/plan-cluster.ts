/**
 * The one planner of a cluster: what to do next, and why nothing else. A cluster that is being deleted is taken apart;
 * any other is given its secrets, machines, configs and one bootstrap, in that order of need.
 */
import {
  NOTHING,
  type ClusterPlan,
  type ClusterState,
  type Contribution,
  type LadderRung,
} from './cluster-plan';
import type { ClusterSnapshot, MachineView } from './cluster-snapshot';
import { step, type ClusterStep } from './cluster-step';
import { areWorkersComplete, isMachineReady, judgeCluster } from './judge-cluster';
import type { Explain } from './plan';
import { planBootstrap } from './plan-bootstrap';
import { planMachineConfigs } from './plan-machine-configs';
import { planMachineSupply } from './plan-machine-supply';
import { planSurplusEnd } from './plan-surplus-end';
import { planTeardown } from './plan-teardown';
import { projectMachines } from './project-machines';
import type { ConditionDraft } from '../shared/condition';

/** While machines boot nothing tells us of it: look again soon. */
const WATCHFUL_MS = 1_000;
/** While a provider works its reports wake us; this is the net under them. */
const PATIENT_MS = 10_000;
/** Longer than a machine takes to install and boot. */
const BOOT_LIMIT_MS = 15 * 60_000;
/** How long a ready cluster goes unseen: a machine that dies tells nobody. */
const SETTLED_MS = 60_000;

export function planCluster(snapshot: ClusterSnapshot): ClusterPlan {
  return snapshot.cluster.deleteRequestedAt === undefined ? planLife(snapshot) : planDeath(snapshot);
}

function planLife(snapshot: ClusterSnapshot): ClusterPlan {
  // Secrets cost seconds: the machines are asked for first, and made meanwhile.
  const parts = [
    planMachineSupply(snapshot),
    planSecrets(snapshot),
    planMachineConfigs(snapshot),
    planBootstrap(snapshot),
    planSurplusEnd(snapshot),
  ];
  const steps = parts.flatMap((p) => p.steps);
  const waiting = parts.flatMap((p) => p.waiting);
  const conditions = judgeCluster(snapshot);
  const state = stateOf(snapshot, conditions);
  return {
    steps,
    conditions,
    state,
    explain: explain(summaryOf(state, conditions, waiting), steps, waiting),
    requeueAfterMs: steps.length > 0 ? 0 : requeueAfter(snapshot, conditions, waiting),
    complete: state === 'Ready' && steps.length === 0 && areWorkersComplete(snapshot),
    ladder: ladderOf(snapshot, conditions),
    machines: projectMachines(snapshot),
  };
}

function planSecrets({ cluster }: ClusterSnapshot): Contribution {
  return cluster.hasSecrets
    ? NOTHING
    : {
        steps: [step('CreateSecrets', cluster.name, 'it has no certificate authorities and tokens yet', {})],
        waiting: [],
      };
}

function planDeath(snapshot: ClusterSnapshot): ClusterPlan {
  const { steps, waiting, ladder } = planTeardown(snapshot);
  const left = snapshot.machines.filter((m) => !m.gone).length;
  const message = `${left} machines and ${snapshot.requests.length} machine requests are left`;
  return {
    steps,
    conditions: [{ type: 'Ready', status: 'False', reason: 'Deleting', message }],
    state: 'Deleting',
    explain: explain(`being deleted: ${message}`, steps, waiting),
    requeueAfterMs: steps.length > 0 ? 0 : WATCHFUL_MS,
    complete: false,
    ladder,
    machines: projectMachines(snapshot),
  };
}

const isTrue = (conditions: readonly ConditionDraft[], type: string): boolean =>
  conditions.some((c) => c.type === type && c.status === 'True');

/** A cluster that was complete once is Degraded, never Provisioning again. */
function stateOf(
  { cluster, requests, machines }: ClusterSnapshot,
  conditions: readonly ConditionDraft[],
): ClusterState {
  if (isTrue(conditions, 'Ready')) {
    return 'Ready';
  }
  if (cluster.bootstrappedAt !== undefined && cluster.wasReady) {
    return 'Degraded';
  }
  return requests.length === 0 && machines.length === 0 ? 'Pending' : 'Provisioning';
}

function summaryOf(
  state: ClusterState,
  conditions: readonly ConditionDraft[],
  waiting: Explain['waiting'],
): string {
  if (state !== 'Ready') {
    return conditions.find((c) => c.type === 'Ready')?.message ?? state;
  }
  const names = waiting.map(({ on }) => on);
  return names.length === 0
    ? 'the control plane is ready and nothing is to be done'
    : `the control plane is ready; waiting for ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
}

function requeueAfter(
  snapshot: ClusterSnapshot,
  conditions: readonly ConditionDraft[],
  waiting: Explain['waiting'],
): number {
  if (isTrue(conditions, 'Ready') && waiting.length === 0) {
    return SETTLED_MS;
  }
  const isReady = isTrue(conditions, 'Ready');
  const moving = snapshot.machines.some((m) => !m.gone && (!isReady || isBooting(snapshot, m)));
  return moving ? WATCHFUL_MS : PATIENT_MS;
}

/** A worker of a ready cluster on its way up; one that stays down is not looked at each second for ever. */
function isBooting({ now }: ClusterSnapshot, machine: MachineView): boolean {
  const { configAppliedAt } = machine;
  const isRecent = configAppliedAt === undefined || now.getTime() - configAppliedAt.getTime() < BOOT_LIMIT_MS;
  return isRecent && !isMachineReady(machine);
}

function explain(summary: string, steps: readonly ClusterStep[], waiting: Explain['waiting']): Explain {
  return {
    summary,
    next: steps.map(({ type, target, because }) => ({ type, target, because })),
    waiting,
    refused: [],
  };
}

const RUNGS = [
  ['Machines provisioned', 'MachinesProvisioned'],
  ['Machines configured', 'ConfigApplied'],
  ['etcd bootstrapped', 'Bootstrapped'],
  ['etcd members joined', 'EtcdHealthy'],
  ['Kubernetes API answers', 'APIServerAvailable'],
  ['Control plane ready', 'ControlPlaneReady'],
] as const;

/** A rung is done when its condition holds; the first that does not is the one we stand on. */
function ladderOf(snapshot: ClusterSnapshot, conditions: readonly ConditionDraft[]): LadderRung[] {
  const { hasSecrets } = snapshot.cluster;
  const rungs: LadderRung[] = [{ name: 'Secrets made', state: hasSecrets ? 'done' : 'running', message: '' }];
  const hasWorkers = snapshot.sets.some((set) => set.role === 'worker' && set.replicas > 0);
  const workers = hasWorkers ? ([['Workers ready', 'WorkersReady']] as const) : [];
  for (const [name, type] of [...RUNGS, ...workers]) {
    const done = isTrue(conditions, type) || (type === 'WorkersReady' && areWorkersComplete(snapshot));
    const message = done ? '' : (conditions.find((c) => c.type === type)?.message ?? '');
    rungs.push({
      name,
      state: done ? 'done' : rungs.some((r) => r.state === 'running') ? 'pending' : 'running',
      message,
    });
  }
  return rungs;
}
