/**
 * Ends the machines of a living cluster that a shrinking worker set gave up: reset, then the gate, then the provider,
 * then the record. The same order as in tear-down, for one machine.
 */
import type { Contribution } from './cluster-plan';
import type { ClusterSnapshot, MachineRequestView } from './cluster-snapshot';
import { planMachineEnd, planRequestEnd } from './plan-teardown';

export function planSurplusEnd(snapshot: ClusterSnapshot): Contribution {
  const leaving = snapshot.requests.filter((r) => r.deprovisionRequestedAt !== undefined);
  const parts = leaving.flatMap((request) => endOf(snapshot, request));
  return { steps: parts.flatMap((p) => p.steps), waiting: parts.flatMap((p) => p.waiting) };
}

function endOf(snapshot: ClusterSnapshot, request: MachineRequestView): Contribution[] {
  const machines = snapshot.machines.filter((m) => m.requestId === request.id);
  const since = request.deprovisionRequestedAt ?? snapshot.now;
  return [...machines.map((m) => planMachineEnd(snapshot, m, since)), planRequestEnd(snapshot, request)];
}
