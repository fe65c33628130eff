/** The etcd member list as etcd itself reports it, joined with what is known of each member's health. Never guessed from machines. */

export interface EtcdMember {
  /** 16 hex digits. */
  readonly id: string;
  /** etcd member name; empty while it has not started. */
  readonly name: string;
  readonly isLearner: boolean;
  /** Answers and has no alarm. `unknown` is neither healthy nor a reason to act. */
  readonly health: 'healthy' | 'unhealthy' | 'unknown';
  /** Machine that runs it; absent for an orphan. */
  readonly machineId?: string;
}

/** What all reachable members agree on, or why there is no such list. */
export type Membership =
  | {
      readonly known: true;
      readonly members: readonly EtcdMember[];
      readonly seenAt: Date;
      readonly alarms: readonly string[];
    }
  | { readonly known: false; readonly reason: 'no-answer' | 'members-disagree' };

export interface Headcount {
  /** Voting members. */
  readonly n: number;
  /** Voters that answer and have no alarm. */
  readonly healthy: number;
  readonly quorum: number;
}

/** floor(n/2)+1: how many voters must agree. */
export function quorumOf(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

export const votersOf = (members: readonly EtcdMember[]): readonly EtcdMember[] =>
  members.filter((m) => !m.isLearner);
export const learnersOf = (members: readonly EtcdMember[]): readonly EtcdMember[] =>
  members.filter((m) => m.isLearner);

/** An orphan (a member without a machine) counts as an unhealthy voter until it is removed. */
const isHealthy = (member: EtcdMember): boolean =>
  member.health === 'healthy' && member.machineId !== undefined;

export function headcount(members: readonly EtcdMember[]): Headcount {
  const voters = votersOf(members);
  return { n: voters.length, healthy: voters.filter(isHealthy).length, quorum: quorumOf(voters.length) };
}

export function isQuorate(members: readonly EtcdMember[]): boolean {
  const { n, healthy, quorum } = headcount(members);
  return n > 0 && healthy >= quorum;
}
