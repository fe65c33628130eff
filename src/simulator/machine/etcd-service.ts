/** The etcd service of a control plane: waits for a bootstrap or for a cluster to join, then runs its member. */
import { status } from '@grpc/grpc-js';
import type { NodeConfig } from '../config/node-config';
import { EtcdMembershipError, type EtcdSeat, type RunningEtcdMember } from '../etcd/etcd-engine';
import { clusterTopic, type MachineWorld } from './machine-world';
import { pause } from './notifier';
import type { SimulatedMachine } from './simulated-machine';
import { failedPrecondition, TalosError, unavailable } from './talos-error';

const PROMOTE_RETRY_MS = 500;
const LEAVE_RETRY_MS = 1_000;
const LEAVE_DEADLINE_MS = 30_000;
const MAX_CRASHES = 3;

export type EtcdState = 'Waiting' | 'Preparing' | 'Running' | 'Finished' | 'Failed';

export class EtcdService {
  state: EtcdState = 'Waiting';
  member: RunningEtcdMember | undefined;
  private bootstrapAsked = false;
  private crashes = 0;

  constructor(
    private readonly world: MachineWorld,
    private readonly machine: SimulatedMachine,
    private readonly config: NodeConfig,
    readonly seat: EtcdSeat,
  ) {}

  /** Resolves when this machine's member is a voter. */
  async run(signal: AbortSignal): Promise<void> {
    this.state = 'Preparing';
    this.world.notifier.notify(clusterTopic(this.config));
    const member = await this.obtainMember(signal);
    if (signal.aborted) {
      await member.stop('graceful');
      return;
    }
    this.adopt(member, signal);
    await this.becomeVoter(member, signal);
    this.world.notifier.notify(clusterTopic(this.config));
  }

  bootstrap(): void {
    if (this.world.engine.hasData(this.seat) || this.bootstrapAsked || this.member !== undefined) {
      throw new TalosError(status.ALREADY_EXISTS, 'etcd data directory is not empty');
    }
    if (this.state !== 'Preparing') {
      throw failedPrecondition('bootstrap is not available yet');
    }
    this.bootstrapAsked = true;
    this.world.notifier.notify(clusterTopic(this.config));
  }

  requireMember(): RunningEtcdMember {
    if (this.member === undefined) {
      throw unavailable('etcd is not running: connection error: connect: connection refused');
    }
    return this.member;
  }

  /** Leaves for good: the data is deleted. The service would join again at the next boot. */
  async leave(): Promise<void> {
    const member = this.requireMember();
    await this.removeItself(member);
    this.member = undefined;
    await member.stop('graceful');
    this.state = 'Finished';
    await this.world.engine.wipe(this.seat);
    this.world.notifier.notify(clusterTopic(this.config));
  }

  async stop(how: 'graceful' | 'kill'): Promise<void> {
    const { member } = this;
    this.member = undefined;
    this.state = 'Waiting';
    await member?.stop(how);
  }

  /** etcd wants all members to have been connected for a while: real Talos, too, tries for some minutes. */
  private async removeItself(member: RunningEtcdMember): Promise<void> {
    for (const end = Date.now() + LEAVE_DEADLINE_MS; ; ) {
      try {
        await member.remove(member.memberId);
        return;
      } catch (error) {
        const retry = error instanceof EtcdMembershipError && error.problem === 'unhealthy';
        if (!retry || this.world.engine.kind === 'modelled' || Date.now() > end) {
          throw error;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, LEAVE_RETRY_MS));
    }
  }

  private async obtainMember(signal: AbortSignal): Promise<RunningEtcdMember> {
    const { engine, notifier } = this.world;
    if (engine.hasData(this.seat)) {
      return this.guard(engine.restart(this.seat));
    }
    for (;;) {
      signal.throwIfAborted();
      const seen = notifier.version(clusterTopic(this.config));
      if (this.bootstrapAsked) {
        return this.guard(engine.bootstrap(this.seat));
      }
      const joined = await this.tryJoin(signal);
      if (joined !== undefined) {
        return joined;
      }
      await notifier.wait(clusterTopic(this.config), seen, signal);
    }
  }

  /** One learner at a time: who is refused waits until the other one is promoted. */
  private async tryJoin(signal: AbortSignal): Promise<RunningEtcdMember | undefined> {
    for (const peer of this.world.controlPlanes(this.config, this.machine)) {
      const via = peer.etcd?.member;
      if (via === undefined || peer.etcd?.state !== 'Running') {
        continue;
      }
      await pause(this.world.latencyMs, signal);
      if (this.bootstrapAsked) {
        return undefined;
      }
      try {
        return await this.world.engine.join(this.seat, via);
      } catch (error) {
        this.world.log(this.machine.record.ref, `etcd: failed to join: ${(error as Error).message}`);
      }
    }
    return undefined;
  }

  private async guard(start: Promise<RunningEtcdMember>): Promise<RunningEtcdMember> {
    try {
      return await start;
    } catch (error) {
      this.state = 'Failed';
      this.world.log(this.machine.record.ref, `etcd: ${(error as Error).message}`);
      throw error;
    }
  }

  private adopt(member: RunningEtcdMember, signal: AbortSignal): void {
    this.member = member;
    this.state = 'Running';
    void member.ended
      .then(async (why) => {
        if (this.member !== member || signal.aborted) {
          return;
        }
        this.member = undefined;
        this.state = 'Failed';
        this.world.log(this.machine.record.ref, `etcd: service stopped (${why})`);
        this.machine.etcdLost();
        this.crashes += 1;
        // A member that was removed cannot come back; real Talos tries again and again, to the same end.
        if (why === 'removed' || this.crashes > MAX_CRASHES) {
          return;
        }
        await pause(1_000, signal);
        this.adopt(await this.guard(this.world.engine.restart(this.seat)), signal);
        this.machine.etcdFound();
      })
      .catch(() => undefined);
  }

  private async becomeVoter(member: RunningEtcdMember, signal: AbortSignal): Promise<void> {
    while (await this.isLearner(member)) {
      try {
        const promoter = this.promoter(member);
        if (promoter !== undefined) {
          await promoter.promote(member.memberId);
          continue;
        }
      } catch (error) {
        const { problem } = error instanceof EtcdMembershipError ? error : { problem: 'unavailable' };
        if (problem === 'not-found' || problem === 'removed') {
          throw error;
        }
      }
      await pause(PROMOTE_RETRY_MS, signal);
    }
    signal.throwIfAborted();
  }

  private async isLearner(member: RunningEtcdMember): Promise<boolean> {
    return (await member.status()).isLearner;
  }

  /** A learner cannot promote itself: another member does it. */
  private promoter(own: RunningEtcdMember): RunningEtcdMember | undefined {
    return this.world
      .controlPlanes(this.config, this.machine)
      .map((peer) => peer.etcd?.member)
      .find((member) => member !== undefined && member !== own && member.etcdClusterId === own.etcdClusterId);
  }
}
