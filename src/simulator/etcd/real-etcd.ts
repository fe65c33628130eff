/** etcd as real processes on loopback: what the simulated machines do to it, etcd itself judges. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  EtcdMembershipError,
  peerUrl,
  removeEarlierLife,
  type EtcdEngine,
  type EtcdMemberInfo,
  type EtcdMemberStatus,
  type EtcdSeat,
  type RunningEtcdMember,
} from './etcd-engine';
import { EtcdProcess } from './etcd-process';
import { EtcdUnavailableError, type EtcdStore } from './etcd-store';
import { bigintOf, GatewayClient, textOf, type Json } from './gateway-client';
import { GatewayStore } from './gateway-store';

const START_DEADLINE_MS = 30_000;
const POLL_MS = 100;

/** The etcd binary to use: ETCD_BIN, or `etcd` on the PATH. Its version must have learners (3.4). */
export function findEtcd(binary: string | undefined): string | undefined {
  const candidate = binary ?? 'etcd';
  const result = spawnSync(candidate, ['--version'], { encoding: 'utf8' });
  const version = /etcd Version: (\d+)\.(\d+)/.exec(result.stdout);
  if (version === null) {
    return undefined;
  }
  return Number(version[1]) > 3 || Number(version[2]) >= 4 ? candidate : undefined;
}

export class RealEtcd implements EtcdEngine {
  readonly kind = 'real';
  private readonly members = new Set<RealMember>();

  constructor(private readonly binary: string) {}

  hasData(seat: EtcdSeat): boolean {
    return existsSync(path.join(seat.dataDir, 'member'));
  }

  async bootstrap(seat: EtcdSeat): Promise<RunningEtcdMember> {
    return this.run(seat, `${seat.name}=${peerUrl(seat)}`, false);
  }

  async join(seat: EtcdSeat, via: RunningEtcdMember): Promise<RunningEtcdMember> {
    await removeEarlierLife(seat, via);
    await via.addLearner(peerUrl(seat));
    const names = (await via.listMembers())
      .flatMap((member) => member.peerUrls.map((url) => [member.name || seat.name, url] as const))
      .map(([name, url]) => `${name}=${url}`);
    return this.run(seat, names.join(','), true);
  }

  async restart(seat: EtcdSeat): Promise<RunningEtcdMember> {
    return this.run(seat, undefined, true);
  }

  async wipe(seat: EtcdSeat): Promise<void> {
    rmSync(seat.dataDir, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await Promise.all([...this.members].map((member) => member.stop('graceful')));
  }

  private async run(
    seat: EtcdSeat,
    initialCluster: string | undefined,
    joins: boolean,
  ): Promise<RunningEtcdMember> {
    mkdirSync(path.dirname(seat.dataDir), { recursive: true, mode: 0o700 });
    const member = new RealMember(EtcdProcess.start(this.binary, seat, initialCluster, joins), seat);
    this.members.add(member);
    void member.ended.then(() => this.members.delete(member));
    await member.identify();
    return member;
  }
}

class RealMember implements RunningEtcdMember {
  memberId = 0n;
  etcdClusterId = '';
  readonly store: EtcdStore;
  readonly ended: Promise<'stopped' | 'removed' | 'crashed'>;
  private readonly client: GatewayClient;
  private ordered = false;

  constructor(
    private readonly process: EtcdProcess,
    seat: EtcdSeat,
  ) {
    this.client = new GatewayClient(seat.clientPort);
    this.store = new GatewayStore(this.client, () => process.running);
    this.ended = process.exited.then(() => {
      this.client.close();
      return this.ordered ? 'stopped' : 'crashed';
    });
  }

  /** Waits until the process answers, and learns who it is. */
  async identify(): Promise<void> {
    for (const end = Date.now() + START_DEADLINE_MS; Date.now() < end; ) {
      if (!this.process.running) {
        throw new EtcdMembershipError('removed', 'etcd ended at its start; see its log');
      }
      try {
        const { header } = await this.client.call('/v3/maintenance/status', {}, 2_000);
        this.memberId = BigInt(String((header as Json).member_id));
        this.etcdClusterId = BigInt(String((header as Json).cluster_id)).toString(16);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    }
    await this.stop('kill');
    throw new EtcdUnavailableError('etcd did not answer after its start');
  }

  async listMembers(): Promise<EtcdMemberInfo[]> {
    // A read that needs a quorum first: etcd 3.4 answers the list from memory even without a leader.
    await this.client.call('/v3/kv/range', { key: 'AA==', count_only: true });
    const answer = await this.client.call('/v3/cluster/member/list', {});
    return ((answer.members ?? []) as Json[]).map((member) => ({
      id: BigInt(String(member.ID)),
      name: textOf(member.name),
      peerUrls: (member.peerURLs ?? []) as string[],
      clientUrls: (member.clientURLs ?? []) as string[],
      isLearner: member.isLearner === true,
    }));
  }

  async status(): Promise<EtcdMemberStatus> {
    const answer = await this.client.call('/v3/maintenance/status', {});
    return {
      version: textOf(answer.version),
      dbSize: bigintOf(answer.dbSize),
      leader: bigintOf(answer.leader),
      raftIndex: bigintOf(answer.raftIndex),
      raftTerm: bigintOf(answer.raftTerm),
      isLearner: answer.isLearner === true,
      memberId: this.memberId,
      errors: (answer.errors ?? []) as string[],
    };
  }

  async addLearner(url: string): Promise<bigint> {
    const answer = await this.change('add', { peerURLs: [url], isLearner: true });
    return BigInt(String((answer.member as Json).ID));
  }

  async promote(id: bigint): Promise<void> {
    await this.change('promote', { ID: id.toString() });
  }

  async remove(id: bigint): Promise<void> {
    await this.change('remove', { ID: id.toString() });
  }

  /** Only the leader accepts this. */
  async moveLeader(to: bigint): Promise<void> {
    await this.client.call('/v3/maintenance/transfer-leadership', { targetID: to.toString() });
  }

  async stop(how: 'graceful' | 'kill'): Promise<void> {
    this.ordered = true;
    await this.process.stop(how);
  }

  private async change(what: 'add' | 'promote' | 'remove', body: Json): Promise<Json> {
    try {
      return await this.client.call(`/v3/cluster/member/${what}`, body);
    } catch (error) {
      if (error instanceof EtcdUnavailableError) {
        throw new EtcdMembershipError('unavailable', error.message);
      }
      throw error;
    }
  }
}
