/**
 * Whether a report about a request counts (behavior table 9): only with the fencing token of the current claim. What was
 * reported before is accepted again and changes nothing; anything else is stale.
 */
import type { RequestPhase } from '../planner/cluster-snapshot';
import { actionOfPhase, nextPhase, type ReportKind } from './request-phases';

export interface HeldView {
  readonly phase: RequestPhase;
  readonly leaseHolder: string | null;
  readonly fencingToken: bigint;
}

export interface Holder {
  readonly agentId: string;
  readonly fencingToken: bigint;
}

export type ReportVerdict =
  | { readonly is: 'counts'; readonly phase: RequestPhase }
  | { readonly is: 'repeated' }
  | { readonly is: 'stale' }
  | { readonly is: 'misplaced' };

/** The phases that a report leaves behind, with no lease. */
const LEFT_BEHIND: Readonly<Partial<Record<ReportKind, readonly RequestPhase[]>>> = {
  provisioned: ['Provisioned', 'Joined'],
  failure: ['Failed', 'Deprovisioning'],
  deprovisioned: ['Deprovisioned'],
};

/** A lease that ran out still counts while nobody else has claimed: what is already done should not be done again. */
export function judgeReport(request: HeldView, holder: Holder, report: ReportKind): ReportVerdict {
  if (request.fencingToken !== holder.fencingToken) {
    return { is: 'stale' };
  }
  if (request.leaseHolder === null) {
    return LEFT_BEHIND[report]?.includes(request.phase) === true ? { is: 'repeated' } : { is: 'stale' };
  }
  if (request.leaseHolder !== holder.agentId) {
    return { is: 'stale' };
  }
  const phase = nextPhase(request.phase, actionOfPhase(request.phase), report);
  return phase === undefined ? { is: 'misplaced' } : { is: 'counts', phase };
}
