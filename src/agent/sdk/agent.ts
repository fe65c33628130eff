/** An agent of a provider: claims the requests that the server offers, and works on several of them at once. */
import { status } from '@grpc/grpc-js';
import {
  ProviderServiceService,
  type MachineRequest,
  type PendingWork,
} from '../../generated/proto/quorate/provider/v1/provider';
import type { AgentLog } from './agent-log';
import { AgentSession } from './agent-session';
import { BackOff } from './back-off';
import { HeldLease } from './held-lease';
import { IdentityStore } from './identity-store';
import type { InfraProvider } from './infra-provider';
import { isPassing, statusOf, wordsOf, type CallLimits } from './provider-connection';
import { runWork, toMachine } from './run-work';
import { isAborted, pause, unlessAborted } from './wait';

const CALL_MS = 10_000;
const POLL_SECONDS = 20;
const INVENTORY_MS = 60_000;
/** When the server does not say; three of them are missed before the provider counts as offline. */
const HEARTBEAT_SECONDS = 10;
const DRAIN_MS = 10_000;
/** For work that was told to stop. */
const LAST_BREATH_MS = 1_000;

export interface AgentOptions {
  readonly provider: InfraProvider;
  /** host:port */
  readonly endpoint: string;
  /** PEM file with the root of the server's certificate. */
  readonly caFile: string;
  readonly joinToken: string;
  readonly name: string;
  readonly softwareVersion: string;
  readonly stateDir: string;
  readonly maxInFlight?: number;
  readonly log: AgentLog;
  readonly pollSeconds?: number;
  readonly inventoryMs?: number;
  readonly drainMs?: number;
}

export class Agent {
  private readonly session: AgentSession;
  private readonly log: AgentLog;
  /** No new work. */
  private readonly stopping = new AbortController();
  /** Ends what is under way. */
  private readonly ending = new AbortController();
  private readonly inFlight = new Map<string, Promise<void>>();
  private readonly maxInFlight: number;
  private loops: Promise<unknown>[] = [];
  private stopped: Promise<void> | undefined;

  constructor(private readonly options: AgentOptions) {
    this.log = options.log;
    this.maxInFlight = options.maxInFlight ?? 10;
    this.session = new AgentSession({
      endpoint: options.endpoint,
      caFile: options.caFile,
      joinToken: options.joinToken,
      agentName: options.name,
      softwareVersion: options.softwareVersion,
      store: new IdentityStore(options.stateDir),
      log: options.log,
      signal: this.ending.signal,
    });
  }

  /** Returns at once; the server may be away for as long as it likes. */
  start(): void {
    const stopping = this.stopping.signal;
    const ending = this.ending.signal;
    this.loops = [
      this.repeat(stopping, { firstMs: 500, maxMs: 5_000 }, () => this.poll()),
      this.repeat(stopping, { firstMs: 2_000, maxMs: 30_000 }, () => this.sendInventory()),
      // Until the end: a draining agent is alive, and its leases need a valid certificate.
      this.repeat(ending, { firstMs: 1_000, maxMs: 5_000 }, () => this.sendHeartbeat()),
      this.session.keepCertificate(),
    ];
  }

  /** Takes no new work and waits for what is in flight, though not for long: the next holder adopts what is left. */
  stop(): Promise<void> {
    this.stopped ??= this.drain();
    return this.stopped;
  }

  private async drain(): Promise<void> {
    this.stopping.abort(new Error('the agent stops'));
    await this.settleWithin(this.options.drainMs ?? DRAIN_MS);
    this.ending.abort(new Error('the agent stops'));
    await this.settleWithin(LAST_BREATH_MS);
    await Promise.all(this.loops);
    await this.session.close();
  }

  private async settleWithin(ms: number): Promise<void> {
    const settled = new AbortController();
    // The loops of polls and inventories first: what is just being claimed joins the work in flight.
    void Promise.all(this.loops.slice(0, 2))
      .then(() => Promise.all(this.inFlight.values()))
      .then(() => {
        settled.abort();
      });
    await pause(ms, settled.signal);
  }

  /** `task` says how long to wait before it is done again; when it fails, the back-off does. Never rejects. */
  private async repeat(
    signal: AbortSignal,
    limits: { firstMs: number; maxMs: number },
    task: () => Promise<number | 'back-off'>,
  ): Promise<void> {
    const backOff = new BackOff(limits);
    while (!signal.aborted) {
      let waitMs: number | 'back-off' = 'back-off';
      try {
        waitMs = await task();
      } catch (error) {
        if (!isAborted(signal) && !isPassing(error)) {
          this.log.error('a call to the server failed', { reason: wordsOf(error) });
        }
      }
      if (waitMs === 'back-off') {
        await pause(backOff.nextMs(), signal);
      } else {
        backOff.reset();
        await pause(waitMs, signal);
      }
    }
  }

  private async poll(): Promise<number | 'back-off'> {
    const free = this.maxInFlight - this.inFlight.size;
    if (free <= 0) {
      await Promise.race([...this.inFlight.values(), pause(HEARTBEAT_SECONDS * 1000, this.stopping.signal)]);
      return 0;
    }
    const waitSeconds = this.options.pollSeconds ?? POLL_SECONDS;
    const limits = { timeoutMs: waitSeconds * 1000 + CALL_MS, signal: this.stopping.signal };
    const request = { waitSeconds, maxRequests: free };
    const { work } = await this.session.call(ProviderServiceService.pollMachineRequests, request, limits);
    const fresh = work.filter(({ requestId }) => !this.inFlight.has(requestId)).slice(0, free);
    const claims = await Promise.all(fresh.map((pending) => this.claim(pending)));
    // Work that is offered and then refused would make a loop without a pause.
    return work.length > 0 && !claims.includes(true) ? 'back-off' : 0;
  }

  private async claim({ requestId }: PendingWork): Promise<boolean> {
    if (this.stopping.signal.aborted) {
      return false;
    }
    const askedAtMs = performance.now();
    try {
      // Not ended by a stop: the server may have granted the lease already, and then the work should be done.
      const claim = await this.session.call(
        ProviderServiceService.claimMachineRequest,
        { requestId },
        this.limits(),
      );
      if (claim.lease === undefined || claim.request === undefined) {
        return false;
      }
      this.begin(new HeldLease(this.session, requestId, claim.lease, askedAtMs), claim.request);
      return true;
    } catch (error) {
      const code = statusOf(error);
      if (code !== status.FAILED_PRECONDITION && code !== status.NOT_FOUND && !isPassing(error)) {
        this.log.warn('a request could not be claimed', { requestId, reason: wordsOf(error) });
      }
      return false;
    }
  }

  private begin(lease: HeldLease, request: MachineRequest): void {
    const { requestId, name, attempt } = request;
    const log = this.log.with({ requestId, request: name });
    log.info('claimed', { attempt, action: request.action });
    const { session } = this;
    const context = { provider: this.options.provider, session, lease, log, stop: this.ending.signal };
    const running = runWork(context, request).finally(() => this.inFlight.delete(requestId));
    this.inFlight.set(requestId, running);
  }

  private async sendHeartbeat(): Promise<number> {
    const request = { softwareVersion: this.options.softwareVersion, inFlight: this.inFlight.size };
    const answer = await this.session.call(ProviderServiceService.heartbeat, request, this.limits());
    const seconds = answer.nextHeartbeatSeconds > 0 ? answer.nextHeartbeatSeconds : HEARTBEAT_SECONDS;
    return seconds * 1000;
  }

  private async sendInventory(): Promise<number | 'back-off'> {
    const signal = this.stopping.signal;
    let machines;
    try {
      machines = (await unlessAborted(this.options.provider.list(signal), signal)).map(toMachine);
    } catch (error) {
      if (!signal.aborted) {
        this.log.warn('the provider cannot list its machines', { reason: wordsOf(error) });
      }
      return 'back-off';
    }
    const limits = { timeoutMs: CALL_MS, signal };
    await this.session.call(ProviderServiceService.reportInventory, { machines }, limits);
    return this.options.inventoryMs ?? INVENTORY_MS;
  }

  private limits(): CallLimits {
    return { timeoutMs: CALL_MS, signal: this.ending.signal };
  }
}
