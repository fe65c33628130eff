/** Which request a shrinking set gives up first: not yet claimed, then failed, then not joined, then unhealthy, then newest. */
import {
  machinesByRequest,
  type ClusterSnapshot,
  type MachineRequestView,
  type MachineView,
} from './cluster-snapshot';

function rank(request: MachineRequestView, machine: MachineView | undefined): number {
  if (request.neverClaimed) {
    return 0;
  }
  if (request.phase === 'Failed') {
    return 1;
  }
  if (machine?.facts?.contact !== 'configured') {
    return 2;
  }
  return machine.facts.ready === true ? 4 : 3;
}

/** Comparator for sort: the first of the order goes first. */
export function choosesFirst(
  snapshot: ClusterSnapshot,
): (a: MachineRequestView, b: MachineRequestView) => number {
  const machines = machinesByRequest(snapshot);
  const rankOf = (r: MachineRequestView): number => rank(r, machines.get(r.id));
  return (a, b) =>
    rankOf(a) - rankOf(b) || b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? -1 : 1);
}
