/**
 * The end of one machine and of its request, wherever it is asked for: reset, then the gate, then the provider, then the
 * record. What is down does not block for longer than its deadline, and the record says what was skipped.
 */
import type { Contribution } from './cluster-plan';
import type { ClusterSnapshot, MachineRequestView, MachineView } from './cluster-snapshot';
import { step, type GateReason } from './cluster-step';
import { CONFIG_SETTLE_MS } from './plan-machine-configs';

/** How long an unreachable machine, or a reset that is not confirmed, holds the gate shut. */
export const RESET_DEADLINE_MS = 5 * 60_000;

const WAITING = 'waiting' as const;

type End = GateReason | typeof WAITING | 'reset';

/** Whether the machine's Talos is wiped, still to be wiped, or past waiting for. */
function judgeEnd(now: Date, machine: MachineView, requestedAt: Date): End {
  const contact = machine.facts?.contact;
  if (machine.gone) {
    return 'MachineGone';
  }
  if (machine.configAppliedAt === undefined) {
    return 'NeverConfigured';
  }
  if (contact === 'maintenance' && !mayStillInstall(now, machine)) {
    return 'ResetConfirmed';
  }
  const since = machine.resetSentAt ?? requestedAt;
  if (now.getTime() - since.getTime() >= RESET_DEADLINE_MS) {
    return 'ResetSkipped';
  }
  return contact === 'configured' && machine.resetSentAt === undefined ? 'reset' : WAITING;
}

/** Nothing of the cluster is on it any more, or it is past waiting for. */
export function isWiped(now: Date, machine: MachineView, requestedAt: Date): boolean {
  const end = judgeEnd(now, machine, requestedAt);
  return end !== 'reset' && end !== WAITING;
}

/** It took a config just now: what looks like maintenance mode may be its last moment before it installs. */
function mayStillInstall(now: Date, { configAppliedAt, resetSentAt }: MachineView): boolean {
  return (
    resetSentAt === undefined &&
    configAppliedAt !== undefined &&
    now.getTime() - configAppliedAt.getTime() < CONFIG_SETTLE_MS
  );
}

/** `requestedAt`: when the end of this machine was asked for; the deadlines count from there. */
export function planMachineEnd(
  snapshot: ClusterSnapshot,
  machine: MachineView,
  request: MachineRequestView | undefined,
  requestedAt: Date,
): Contribution {
  const end = judgeEnd(snapshot.now, machine, requestedAt);
  const { id: machineId, hostname } = machine;
  if (end === 'reset') {
    return { steps: [step('ResetMachine', hostname, 'it is no longer needed', { machineId })], waiting: [] };
  }
  if (end === WAITING) {
    const message =
      machine.resetSentAt === undefined
        ? 'it does not answer; its reset is skipped after five minutes'
        : 'its reset is not confirmed yet';
    return { steps: [], waiting: [{ on: hostname, message }] };
  }
  if (machine.requestId === undefined) {
    return {
      steps: [step('ReleaseMachine', hostname, `it is no longer needed (${end})`, { machineId })],
      waiting: [],
    };
  }
  return request === undefined || request.gateOpenedAt !== undefined
    ? { steps: [], waiting: [] }
    : {
        steps: [
          step('OpenGate', request.name, `its machine is done with (${end})`, {
            requestId: request.id,
            reason: end,
          }),
        ],
        waiting: [],
      };
}

export function planRequestEnd(request: MachineRequestView, hasMachine: boolean): Contribution {
  const { id: requestId, name } = request;
  if (request.phase === 'Deprovisioned') {
    return {
      steps: [step('ForgetRequest', name, 'the provider destroyed its machine', { requestId })],
      waiting: [],
    };
  }
  if (request.deprovisionRequestedAt === undefined) {
    return {
      steps: [step('RequestDeprovision', name, 'its cluster is being deleted', { requestId })],
      waiting: [],
    };
  }
  if (request.neverClaimed) {
    return { steps: [step('ForgetRequest', name, 'no agent ever claimed it', { requestId })], waiting: [] };
  }
  if (!hasMachine && request.gateOpenedAt === undefined) {
    return {
      steps: [
        step('OpenGate', name, 'it has no machine that could be reset', {
          requestId,
          reason: 'NeverProvisioned',
        }),
      ],
      waiting: [],
    };
  }
  return {
    steps: [],
    waiting:
      request.gateOpenedAt === undefined ? [] : [{ on: name, message: 'the provider destroys its machine' }],
  };
}
