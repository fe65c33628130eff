/**
 * May a member be removed, disrupted or added? Every answer carries its arithmetic. A removal is judged twice: now,
 * because the removal itself must commit, and on the cluster as it will be afterwards.
 * Source: etcd's majority rule; the table "Quorum arithmetic" in docs/architecture.md.
 */
import {
  headcount,
  learnersOf,
  votersOf,
  type EtcdMember,
  type Headcount,
  type Membership,
} from './etcd-membership';

export const REFUSALS = [
  'MembershipUnknown',
  'MembershipStale',
  'ChangeInFlight',
  'MemberNotFound',
  'LastVoter',
  'LearnerPending',
  'QuorumLost',
  'QuorumAtRisk',
  'TwoMembers',
  'BackupRequired',
  'SpaceAlarm',
] as const;
export type Refusal = (typeof REFUSALS)[number];

export interface Arithmetic extends Headcount {
  readonly target?: string;
  readonly after?: Headcount;
}

export type Verdict =
  | { readonly allowed: true; readonly arithmetic: Arithmetic }
  | { readonly allowed: false; readonly reason: Refusal; readonly arithmetic?: Arithmetic };

/** A member list older than this says nothing about now. */
export const MEMBERSHIP_FRESH_MS = 10_000;

interface Circumstances {
  readonly now: Date;
  /** A membership change of ours has been sent and is not confirmed. */
  readonly changeInFlight: boolean;
}

const refused = (reason: Refusal, arithmetic?: Arithmetic): Verdict =>
  arithmetic === undefined ? { allowed: false, reason } : { allowed: false, reason, arithmetic };

type Usable = { readonly members: readonly EtcdMember[]; readonly alarms: readonly string[] };

/** The list, or the refusal that every question shares: unknown, stale, or another change still in flight. */
function usable(membership: Membership, { now, changeInFlight }: Circumstances): Usable | Refusal {
  if (!membership.known) {
    return 'MembershipUnknown';
  }
  if (now.getTime() - membership.seenAt.getTime() >= MEMBERSHIP_FRESH_MS) {
    return 'MembershipStale';
  }
  return changeInFlight ? 'ChangeInFlight' : membership;
}

export function mayRemove(membership: Membership, memberId: string, circumstances: Circumstances): Verdict {
  const list = usable(membership, circumstances);
  if (typeof list === 'string') {
    return refused(list);
  }
  const target = list.members.find((m) => m.id === memberId);
  const before = headcount(list.members);
  const after = headcount(list.members.filter((m) => m.id !== memberId));
  const arithmetic: Arithmetic = { ...before, target: memberId, after };
  if (target === undefined) {
    return refused('MemberNotFound', arithmetic);
  }
  if (!target.isLearner && before.n === 1) {
    return refused('LastVoter', arithmetic);
  }
  if (learnersOf(list.members).some((m) => m.id !== memberId)) {
    return refused('LearnerPending', arithmetic);
  }
  if (before.healthy < before.quorum) {
    return refused('QuorumLost', arithmetic);
  }
  return after.healthy >= after.quorum ? { allowed: true, arithmetic } : refused('QuorumAtRisk', arithmetic);
}

interface DisruptionTerms extends Circumstances {
  /** For one-member clusters: a verified backup younger than the tier's limit, or an operator's explicit acceptance. */
  readonly singleMemberCovered: boolean;
}

/** Reboot, upgrade, or a config that needs a reboot: the member comes back, yet is away meanwhile. */
export function mayDisrupt(membership: Membership, memberId: string, terms: DisruptionTerms): Verdict {
  const list = usable(membership, terms);
  if (typeof list === 'string') {
    return refused(list);
  }
  const before = headcount(list.members);
  const remaining = votersOf(list.members).filter((m) => m.id !== memberId);
  const after: Headcount = { n: before.n, healthy: headcount(remaining).healthy, quorum: before.quorum };
  const arithmetic: Arithmetic = { ...before, target: memberId, after };
  if (!list.members.some((m) => m.id === memberId)) {
    return refused('MemberNotFound', arithmetic);
  }
  if (before.n === 1) {
    return terms.singleMemberCovered ? { allowed: true, arithmetic } : refused('BackupRequired', arithmetic);
  }
  if (before.n === 2) {
    return refused('TwoMembers', arithmetic);
  }
  return after.healthy >= after.quorum ? { allowed: true, arithmetic } : refused('QuorumAtRisk', arithmetic);
}

/** One learner at a time, and only where the addition can commit. */
export function mayAdd(membership: Membership, circumstances: Circumstances): Verdict {
  const list = usable(membership, circumstances);
  if (typeof list === 'string') {
    return refused(list);
  }
  const arithmetic = headcount(list.members);
  if (learnersOf(list.members).length > 0) {
    return refused('LearnerPending', arithmetic);
  }
  if (list.alarms.includes('NOSPACE')) {
    return refused('SpaceAlarm', arithmetic);
  }
  return arithmetic.healthy >= arithmetic.quorum
    ? { allowed: true, arithmetic }
    : refused('QuorumLost', arithmetic);
}
