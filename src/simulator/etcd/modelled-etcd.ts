/** etcd without etcd: one model per cluster, shared by the machines of this process. Needs nothing installed. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  clientUrl,
  EtcdMembershipError,
  peerUrl,
  removeEarlierLife,
  type EtcdEngine,
  type EtcdMemberInfo,
  type EtcdMemberStatus,
  type EtcdSeat,
  type RunningEtcdMember,
} from './etcd-engine';
import { EtcdUnavailableError, type EtcdStore } from './etcd-store';
import { ModelledCluster, newEtcdId } from './modelled-cluster';

interface Identity {
  readonly clusterId: string;
  readonly memberId: string;
}

export class ModelledEtcd implements EtcdEngine {
  readonly kind = 'modelled';
  private readonly clusters = new Map<string, ModelledCluster>();

  constructor(private readonly dir: string) {}

  hasData(seat: EtcdSeat): boolean {
    return existsSync(identityFile(seat));
  }

  async bootstrap(seat: EtcdSeat): Promise<RunningEtcdMember> {
    const clusterId = newEtcdId().toString(16).padStart(16, '0');
    const memberId = newEtcdId();
    this.cluster(clusterId).found(memberId, peerUrl(seat));
    return this.run(seat, { clusterId, memberId: memberId.toString() });
  }

  async join(seat: EtcdSeat, via: RunningEtcdMember): Promise<RunningEtcdMember> {
    await removeEarlierLife(seat, via);
    const memberId = await via.addLearner(peerUrl(seat));
    return this.run(seat, { clusterId: via.etcdClusterId, memberId: memberId.toString() });
  }

  async restart(seat: EtcdSeat): Promise<RunningEtcdMember> {
    return this.run(seat, JSON.parse(readFileSync(identityFile(seat), 'utf8')) as Identity);
  }

  async wipe(seat: EtcdSeat): Promise<void> {
    rmSync(seat.dataDir, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    for (const cluster of this.clusters.values()) {
      cluster.close();
    }
    this.clusters.clear();
  }

  private run(seat: EtcdSeat, identity: Identity): RunningEtcdMember {
    mkdirSync(seat.dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(identityFile(seat), JSON.stringify(identity), { mode: 0o600 });
    return new ModelledMember(this.cluster(identity.clusterId), seat, BigInt(identity.memberId));
  }

  private cluster(id: string): ModelledCluster {
    let cluster = this.clusters.get(id);
    if (cluster === undefined) {
      cluster = new ModelledCluster(id, path.join(this.dir, id));
      this.clusters.set(id, cluster);
    }
    return cluster;
  }
}

class ModelledMember implements RunningEtcdMember {
  readonly ended: Promise<'stopped' | 'removed' | 'crashed'>;
  readonly store: EtcdStore;
  private up = true;
  private resolveEnded!: (why: 'stopped' | 'removed' | 'crashed') => void;

  constructor(
    private readonly cluster: ModelledCluster,
    seat: EtcdSeat,
    readonly memberId: bigint,
  ) {
    this.ended = new Promise((resolve) => (this.resolveEnded = resolve));
    cluster.begin(memberId, seat.name, clientUrl(seat), () => this.finish('removed'));
    this.store = this.openStore();
  }

  get etcdClusterId(): string {
    return this.cluster.id;
  }

  async listMembers(): Promise<EtcdMemberInfo[]> {
    this.requireService();
    return this.cluster.list();
  }

  async status(): Promise<EtcdMemberStatus> {
    if (!this.up) {
      throw new EtcdUnavailableError('connection refused');
    }
    const { history, leader } = this.cluster;
    return {
      version: '3.6.0-simulated',
      dbSize: BigInt(history.bytes),
      leader,
      raftIndex: BigInt(history.revision),
      raftTerm: BigInt(this.cluster.term),
      isLearner: this.cluster.isLearner(this.memberId),
      memberId: this.memberId,
      errors: leader === 0n ? ['etcdserver: no leader'] : [],
    };
  }

  async addLearner(url: string): Promise<bigint> {
    return this.change(() => this.cluster.addLearner(url));
  }

  async promote(id: bigint): Promise<void> {
    this.change(() => this.cluster.promote(id));
  }

  async remove(id: bigint): Promise<void> {
    this.change(() => this.cluster.remove(id));
  }

  async moveLeader(to: bigint): Promise<void> {
    this.change(() => this.cluster.moveLeader(to));
  }

  async stop(): Promise<void> {
    if (!this.up) {
      return;
    }
    this.cluster.end(this.memberId);
    this.finish('stopped');
  }

  private change<T>(act: () => T): T {
    try {
      this.requireService();
      return act();
    } catch (error) {
      if (error instanceof EtcdUnavailableError) {
        throw new EtcdMembershipError('unavailable', error.message);
      }
      throw error;
    }
  }

  private finish(why: 'stopped' | 'removed'): void {
    this.up = false;
    this.resolveEnded(why);
  }

  private requireService(): void {
    if (!this.up) {
      throw new EtcdUnavailableError('connection refused');
    }
    this.cluster.requireQuorum();
    if (this.cluster.isLearner(this.memberId)) {
      throw new EtcdUnavailableError('etcdserver: rpc not supported for learner');
    }
  }

  private openStore(): EtcdStore {
    const { history } = this.cluster;
    const serve = <T>(read: () => T): T => {
      this.requireService();
      return read();
    };
    return {
      get: async (key) => serve(() => history.get(key)),
      list: async (prefix) => serve(() => ({ items: history.list(prefix), revision: history.revision })),
      put: async (key, value, expected) => serve(() => history.put(key, value, expected)),
      delete: async (key, expected) => serve(() => history.delete(key, expected)),
      watch: async (prefix, fromRevision, onEvent) => {
        this.requireService();
        const end = history.watch(prefix, fromRevision, onEvent);
        void this.ended.then(end);
        return end;
      },
    };
  }
}

function identityFile(seat: EtcdSeat): string {
  return path.join(seat.dataDir, 'member.json');
}
