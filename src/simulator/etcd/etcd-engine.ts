/** One etcd member as the machine that runs it sees it; behind it a real process or the model. */
import type { EtcdStore } from './etcd-store';

export interface EtcdMemberInfo {
  readonly id: bigint;
  /** Empty until the member has started for the first time. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  readonly isLearner: boolean;
}

export interface EtcdMemberStatus {
  readonly version: string;
  readonly dbSize: bigint;
  /** 0 without a leader. */
  readonly leader: bigint;
  readonly raftIndex: bigint;
  readonly raftTerm: bigint;
  readonly isLearner: boolean;
  readonly memberId: bigint;
  readonly errors: readonly string[];
}

/** Where a member lives; the same for its whole life. */
export interface EtcdSeat {
  readonly name: string;
  readonly dataDir: string;
  readonly clientPort: number;
  readonly peerPort: number;
}

export interface RunningEtcdMember {
  readonly memberId: bigint;
  /** Identity of the etcd cluster, hex: two bootstraps make two of them. */
  readonly etcdClusterId: string;
  readonly store: EtcdStore;
  listMembers(): Promise<EtcdMemberInfo[]>;
  status(): Promise<EtcdMemberStatus>;
  addLearner(peerUrl: string): Promise<bigint>;
  promote(id: bigint): Promise<void>;
  remove(id: bigint): Promise<void>;
  moveLeader(to: bigint): Promise<void>;
  stop(how: 'graceful' | 'kill'): Promise<void>;
  /** Resolves with the reason when the member has stopped, by itself or by order. */
  readonly ended: Promise<'stopped' | 'removed' | 'crashed'>;
}

export interface EtcdEngine {
  readonly kind: 'real' | 'modelled';
  hasData(seat: EtcdSeat): boolean;
  bootstrap(seat: EtcdSeat): Promise<RunningEtcdMember>;
  /** Adds the seat as a learner through `via`, then starts it. Promotion is the caller's business. */
  join(seat: EtcdSeat, via: RunningEtcdMember): Promise<RunningEtcdMember>;
  restart(seat: EtcdSeat): Promise<RunningEtcdMember>;
  wipe(seat: EtcdSeat): Promise<void>;
  close(): Promise<void>;
}

export const MEMBERSHIP_PROBLEMS = [
  'unavailable',
  'not-found',
  'too-many-learners',
  'learner-not-ready',
  'unhealthy',
  'removed',
] as const;
export type MembershipProblem = (typeof MEMBERSHIP_PROBLEMS)[number];

/** A membership call that etcd refuses; the text is etcd's own. */
export class EtcdMembershipError extends Error {
  constructor(
    readonly problem: MembershipProblem,
    message: string,
  ) {
    super(message);
  }
}

export function peerUrl(seat: EtcdSeat): string {
  return `http://127.0.0.1:${seat.peerPort}`;
}

export function clientUrl(seat: EtcdSeat): string {
  return `http://127.0.0.1:${seat.clientPort}`;
}

/** As real Talos does before it joins: whoever holds my name or my address is an earlier life of mine. */
export async function removeEarlierLife(seat: EtcdSeat, via: RunningEtcdMember): Promise<void> {
  for (const member of await via.listMembers()) {
    if (member.name === seat.name || member.peerUrls.includes(peerUrl(seat))) {
      await via.remove(member.id);
    }
  }
}
