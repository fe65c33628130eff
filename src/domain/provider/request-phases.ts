/** How a machine request moves (behavior table 9): which report of an agent fits which phase, and what it leads to. */
import type { RequestPhase } from '../planner/cluster-snapshot';
import type { RequestAction } from './choose-action';

export const REPORTS = ['claim', 'progress', 'provisioned', 'failure', 'deprovisioned'] as const;
export type ReportKind = (typeof REPORTS)[number];

type Moves = Readonly<Partial<Record<RequestPhase, RequestPhase>>>;

const PROVISION: Readonly<Record<ReportKind, Moves>> = {
  claim: { Pending: 'Claimed', Failed: 'Claimed', Claimed: 'Claimed', Provisioning: 'Provisioning' },
  progress: { Claimed: 'Provisioning', Provisioning: 'Provisioning' },
  provisioned: { Claimed: 'Provisioned', Provisioning: 'Provisioned' },
  failure: { Claimed: 'Failed', Provisioning: 'Failed' },
  deprovisioned: {},
};

const anyOf = (phases: readonly RequestPhase[], to: RequestPhase): Moves =>
  Object.fromEntries(phases.map((from) => [from, to]));

const DEPROVISION: Readonly<Record<ReportKind, Moves>> = {
  claim: anyOf(
    ['Pending', 'Claimed', 'Provisioning', 'Provisioned', 'Joined', 'Failed', 'Deprovisioning'],
    'Deprovisioning',
  ),
  progress: { Deprovisioning: 'Deprovisioning' },
  provisioned: {},
  // It stays what it is: a machine that nobody destroyed is a machine that somebody pays for.
  failure: { Deprovisioning: 'Deprovisioning' },
  deprovisioned: { Deprovisioning: 'Deprovisioned' },
};

/** The phase after the report; undefined: the report does not fit the phase. */
export function nextPhase(
  from: RequestPhase,
  action: RequestAction,
  report: ReportKind,
): RequestPhase | undefined {
  return (action === 'provision' ? PROVISION : DEPROVISION)[report][from];
}

/** What the holder of a lease was given to do. */
export function actionOfPhase(phase: RequestPhase): RequestAction {
  return phase === 'Deprovisioning' || phase === 'Deprovisioned' ? 'deprovision' : 'provision';
}
