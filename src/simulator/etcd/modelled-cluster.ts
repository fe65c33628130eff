/** The modelled etcd cluster: who is a member, who leads, and that nothing is written without a quorum. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EtcdMembershipError, type EtcdMemberInfo } from './etcd-engine';
import { EtcdUnavailableError } from './etcd-store';
import { ModelledHistory } from './modelled-history';

interface Member {
  readonly id: string;
  name: string;
  readonly peerUrl: string;
  clientUrl: string;
  isLearner: boolean;
}

interface Saved {
  members: Member[];
  term: number;
}

/** 63 bits: etcd's ids are unsigned, but a positive number is easier to compare. */
export function newEtcdId(): bigint {
  return randomBytes(8).readBigUInt64BE() >> 1n;
}

export class ModelledCluster {
  readonly history: ModelledHistory;
  leader = 0n;
  private members: Member[] = [];
  term = 1;
  /** Running members and what ends them. */
  private readonly running = new Map<string, (why: 'removed') => void>();

  constructor(
    readonly id: string,
    private readonly dir: string,
  ) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    this.history = new ModelledHistory(path.join(dir, 'journal.jsonl'));
    const file = path.join(dir, 'members.json');
    if (!existsSync(file)) {
      return;
    }
    const saved = JSON.parse(readFileSync(file, 'utf8')) as Saved;
    this.members = saved.members;
    this.term = saved.term;
  }

  get runningCount(): number {
    return this.running.size;
  }

  list(): EtcdMemberInfo[] {
    return this.members.map((member) => ({
      id: BigInt(member.id),
      name: member.name,
      peerUrls: [member.peerUrl],
      clientUrls: member.clientUrl === '' ? [] : [member.clientUrl],
      isLearner: member.isLearner,
    }));
  }

  isMember(id: bigint): boolean {
    return this.find(id) !== undefined;
  }

  isLearner(id: bigint): boolean {
    return this.find(id)?.isLearner ?? false;
  }

  /** The first member of a new cluster. */
  found(id: bigint, peerUrl: string): void {
    this.members.push({ id: id.toString(), name: '', peerUrl, clientUrl: '', isLearner: false });
    this.save();
  }

  begin(id: bigint, name: string, clientUrl: string, end: (why: 'removed') => void): void {
    const member = this.find(id);
    if (member === undefined) {
      throw new EtcdMembershipError('removed', 'the member has been permanently removed from the cluster');
    }
    member.name = name;
    member.clientUrl = clientUrl;
    this.running.set(member.id, end);
    this.elect();
    this.save();
  }

  end(id: bigint): void {
    this.running.delete(id.toString());
    if (this.leader === id) {
      this.leader = 0n;
    }
    this.elect();
  }

  requireQuorum(): void {
    if (this.leader === 0n) {
      throw new EtcdUnavailableError();
    }
  }

  addLearner(peerUrl: string): bigint {
    this.requireQuorum();
    if (this.members.some((member) => member.isLearner)) {
      throw new EtcdMembershipError('too-many-learners', 'etcdserver: too many learner members in cluster');
    }
    const id = newEtcdId();
    this.members.push({ id: id.toString(), name: '', peerUrl, clientUrl: '', isLearner: true });
    this.save();
    return id;
  }

  promote(id: bigint): void {
    this.requireQuorum();
    const member = this.find(id);
    if (member === undefined) {
      throw notFound();
    }
    if (!this.running.has(member.id)) {
      throw new EtcdMembershipError(
        'learner-not-ready',
        'etcdserver: can only promote a learner member which is in sync with leader',
      );
    }
    member.isLearner = false;
    this.save();
  }

  /** As etcd with strict reconfiguration checks: never below the quorum of what would be left. */
  remove(id: bigint): void {
    this.requireQuorum();
    const member = this.find(id);
    if (member === undefined) {
      throw notFound();
    }
    if (!member.isLearner) {
      const voters = this.voters();
      if (voters.length === 1) {
        throw new EtcdMembershipError(
          'unhealthy',
          'etcdserver: re-configuration failed due to not enough started members',
        );
      }
      const left = voters.filter((voter) => voter !== member && this.running.has(voter.id)).length;
      if (left < quorum(voters.length - 1)) {
        throw new EtcdMembershipError('unhealthy', 'etcdserver: unhealthy cluster');
      }
    }
    this.members = this.members.filter((other) => other !== member);
    const end = this.running.get(member.id);
    this.end(id);
    this.save();
    end?.('removed');
  }

  moveLeader(to: bigint): void {
    this.requireQuorum();
    const member = this.find(to);
    if (member === undefined || member.isLearner || !this.running.has(member.id)) {
      throw new EtcdMembershipError('not-found', 'etcdserver: bad leader transferee');
    }
    this.leader = to;
    this.term += 1;
    this.save();
  }

  close(): void {
    this.history.close();
  }

  private voters(): Member[] {
    return this.members.filter((member) => !member.isLearner);
  }

  /** A leader stays until it stops; then the first running voter follows, if there is a majority to elect it. */
  private elect(): void {
    const voters = this.voters();
    const candidates = voters.filter((voter) => this.running.has(voter.id));
    if (candidates.length < quorum(voters.length)) {
      this.leader = 0n;
      return;
    }
    if (this.leader !== 0n && candidates.some((voter) => BigInt(voter.id) === this.leader)) {
      return;
    }
    this.leader = BigInt(candidates[0]?.id ?? 0);
    this.term += 1;
  }

  private find(id: bigint): Member | undefined {
    return this.members.find((member) => member.id === id.toString());
  }

  private save(): void {
    const saved: Saved = { members: this.members, term: this.term };
    const file = path.join(this.dir, 'members.json');
    writeFileSync(`${file}.next`, JSON.stringify(saved), { mode: 0o600 });
    renameSync(`${file}.next`, file);
  }
}

function quorum(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

function notFound(): EtcdMembershipError {
  return new EtcdMembershipError('not-found', 'etcdserver: member not found');
}
