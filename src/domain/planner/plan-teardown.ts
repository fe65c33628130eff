/**
 * Takes a whole cluster apart: workers first, then the control plane in parallel and without etcd leave (there is no
 * quorum to keep). Each machine is reset, then its gate opens, then the provider destroys it; what is down does not
 * block for longer than its deadline, and the record says what was skipped. Continues from whatever it finds.
 */
import type { Contribution, LadderRung } from './cluster-plan';
import { machinesByRequest, type ClusterSnapshot, type MachineView } from './cluster-snapshot';
import { step, type ClusterStep } from './cluster-step';
import { isWiped, planMachineEnd, planRequestEnd } from './plan-machine-end';

export function planTeardown(
  snapshot: ClusterSnapshot,
): Contribution & { readonly ladder: readonly LadderRung[] } {
  const workers = snapshot.machines.filter((m) => m.role === 'worker');
  const controlPlanes = snapshot.machines.filter((m) => m.role === 'control-plane');
  const since = snapshot.cluster.deleteRequestedAt ?? snapshot.now;
  const isDone = (m: MachineView): boolean => isWiped(snapshot.now, m, since);
  const workersDone = workers.every(isDone);
  const requestOf = new Map(snapshot.requests.map((r) => [r.id, r]));
  const parts = [...workers, ...(workersDone ? controlPlanes : [])].map((m) =>
    planMachineEnd(snapshot, m, requestOf.get(m.requestId ?? ''), since),
  );
  const withMachine = machinesByRequest(snapshot);
  const requests = snapshot.requests.map((r) => planRequestEnd(r, withMachine.has(r.id)));
  const steps = [...parts, ...requests].flatMap((p) => p.steps);
  const waiting = [...parts, ...requests].flatMap((p) => p.waiting);
  const isEmpty = snapshot.machines.length === 0 && snapshot.requests.length === 0;
  return {
    steps: isEmpty ? [finish(snapshot)] : steps,
    waiting,
    ladder: [
      rung('Workers reset', workersDone, `${workers.length} machines left`),
      rung(
        'Control plane reset',
        workersDone && controlPlanes.every(isDone),
        `${controlPlanes.length} machines left`,
      ),
      rung('Machines destroyed', isEmpty, `${snapshot.requests.length} left`),
      rung('Records removed', false, ''),
    ],
  };
}

const rung = (name: string, done: boolean, message: string): LadderRung => ({
  name,
  state: done ? 'done' : 'running',
  message: done ? '' : message,
});

function finish({ affiliatesCleaned, cluster }: ClusterSnapshot): ClusterStep {
  return affiliatesCleaned || !cluster.hasSecrets
    ? step('DeleteCluster', cluster.name, 'nothing of it is left', {})
    : step('CleanAffiliates', cluster.name, 'its machines are gone, their discovery records are not', {});
}
