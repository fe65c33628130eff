/**
 * What an agent may do with a machine request now (behavior table 9): make a machine while one is wanted, destroy it
 * only when its end was asked for and the gate is open, and nothing while another agent's lease lives.
 */
import type { RequestPhase } from '../planner/cluster-snapshot';

export type RequestAction = 'provision' | 'deprovision';

export interface ClaimableView {
  readonly phase: RequestPhase;
  readonly leaseExpiresAt: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly deprovisionRequestedAt: Date | null;
  readonly gateOpenedAt: Date | null;
}

export function chooseAction(request: ClaimableView, now: Date): RequestAction | undefined {
  if (request.leaseExpiresAt !== null && request.leaseExpiresAt > now) {
    return undefined;
  }
  return request.deprovisionRequestedAt === null
    ? chooseWhileWanted(request, now)
    : chooseAtTheEnd(request, now);
}

function chooseWhileWanted({ phase, nextAttemptAt }: ClaimableView, now: Date): RequestAction | undefined {
  switch (phase) {
    case 'Pending':
    // Without a live lease their holder is gone: the next one goes on where it stopped.
    case 'Claimed':
    case 'Provisioning':
      return 'provision';
    case 'Failed':
      // No time = given up: whoever wants the machine nevertheless asks for another one.
      return nextAttemptAt !== null && nextAttemptAt <= now ? 'provision' : undefined;
    default:
      return undefined;
  }
}

function chooseAtTheEnd(
  { phase, nextAttemptAt, gateOpenedAt }: ClaimableView,
  now: Date,
): RequestAction | undefined {
  if (gateOpenedAt === null || phase === 'Deprovisioned') {
    return undefined;
  }
  // The back-off of a failed provisioning does not hold up the end, that of a failed deprovisioning does.
  const mustWait = phase === 'Deprovisioning' && nextAttemptAt !== null && nextAttemptAt > now;
  return mustWait ? undefined : 'deprovision';
}
