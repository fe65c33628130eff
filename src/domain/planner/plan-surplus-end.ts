/**
 * Ends the machines of a living cluster that a shrinking worker set gave up: reset, then the gate, then the provider,
 * then the record. The same order as in tear-down, for one machine.
 */
import { NOTHING, type Contribution } from './cluster-plan';
import {
  machinesByRequest,
  type ClusterSnapshot,
  type MachineRequestView,
  type MachineView,
} from './cluster-snapshot';
import { planMachineEnd, planRequestEnd } from './plan-machine-end';

export function planSurplusEnd(snapshot: ClusterSnapshot): Contribution {
  const leaving = snapshot.requests.filter((r) => r.deprovisionRequestedAt !== undefined);
  if (leaving.length === 0) {
    return NOTHING;
  }
  const machines = machinesByRequest(snapshot);
  const parts = leaving.flatMap((request) => endOf(snapshot, request, machines.get(request.id)));
  return { steps: parts.flatMap((p) => p.steps), waiting: parts.flatMap((p) => p.waiting) };
}

function endOf(
  snapshot: ClusterSnapshot,
  request: MachineRequestView,
  machine: MachineView | undefined,
): Contribution[] {
  const ofMachine =
    machine === undefined
      ? NOTHING
      : planMachineEnd(snapshot, machine, request, request.deprovisionRequestedAt ?? snapshot.now);
  return [ofMachine, planRequestEnd(request, machine !== undefined)];
}
