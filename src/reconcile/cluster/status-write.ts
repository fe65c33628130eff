/** What has to be written so that people see the plan: nothing at all when nothing changed. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { ClusterPlan, MachineProjection } from '../../domain/planner/cluster-plan';
import { mergeLadder } from '../../domain/planner/merge-ladder';
import { mergeConditions, type Condition } from '../../domain/shared/condition';
import type { ClusterRow, ClusterRows, OperationRow } from './cluster-rows';
import type { Happening, StatusWrite } from './cluster-store';

export function statusWrite(rows: ClusterRows, plan: ClusterPlan, now: Date): StatusWrite | undefined {
  const { cluster } = rows;
  const conditions = mergeConditions(cluster.conditions, plan.conditions, now);
  const operations = rows.operations.flatMap((op) => advance(op, plan, cluster, now));
  const machines = difference(rows.projections, plan.machines);
  const isUnchanged =
    cluster.state === plan.state &&
    cluster.observedGeneration === cluster.generation &&
    isDeepStrictEqual(conditions, cluster.conditions) &&
    isDeepStrictEqual(plan.explain, cluster.explain) &&
    operations.length + machines.put.length + machines.remove.length === 0;
  if (isUnchanged) {
    return undefined;
  }
  return {
    state: plan.state,
    conditions,
    explain: plan.explain,
    observedGeneration: cluster.generation,
    machines,
    operations,
    happenings: happenings(cluster, plan, conditions),
  };
}

/** The running operation stands where the ladder stands; a delete ends only with the cluster's rows. */
function advance(
  operation: OperationRow,
  plan: ClusterPlan,
  cluster: ClusterRow,
  now: Date,
): StatusWrite['operations'] {
  if (operation.kind !== 'delete' && cluster.deleteRequestedAt !== undefined) {
    return [{ ...operation, state: 'Superseded', message: 'the cluster is being deleted' }];
  }
  const steps = mergeLadder(operation.steps, plan.ladder, now);
  const failure = failureOf(plan);
  const state = failure !== undefined ? 'Failed' : plan.complete ? 'Succeeded' : 'Running';
  const next = { ...operation, steps, state, message: plan.explain.summary };
  return isDeepStrictEqual(next, operation)
    ? []
    : [failure === undefined ? next : { ...next, error: failure }];
}

/** Only what no waiting can mend ends an operation. */
function failureOf(plan: ClusterPlan): { code: string; message: string } | undefined {
  const provisioned = plan.conditions.find((c) => c.type === 'MachinesProvisioned');
  if (provisioned?.reason === 'ProvisioningFailed') {
    return { code: 'PROVISIONING_FAILED', message: provisioned.message };
  }
  const accepted = plan.conditions.find((c) => c.type === 'ConfigAccepted');
  return accepted?.status === 'False' ? { code: 'CONFIG_REJECTED', message: accepted.message } : undefined;
}

function difference(
  before: readonly MachineProjection[],
  after: readonly MachineProjection[],
): StatusWrite['machines'] {
  const put = after.filter((m) => !before.some((b) => isDeepStrictEqual(b, m)));
  const remove = before.filter((b) => !after.some((m) => m.id === b.id)).map((b) => b.id);
  return { put, remove };
}

/** One line in the timeline for each turn of the summarising condition and of the state. */
function happenings(cluster: ClusterRow, plan: ClusterPlan, conditions: readonly Condition[]): Happening[] {
  const ready = conditions.find((c) => c.type === 'Ready');
  const before = cluster.conditions.find((c) => c.type === 'Ready');
  if (ready === undefined || (plan.state === cluster.state && ready.status === before?.status)) {
    return [];
  }
  const type = plan.state === 'Degraded' ? 'Warning' : 'Normal';
  return [{ type, reason: plan.state, message: ready.message }];
}
