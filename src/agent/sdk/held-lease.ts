/** A lease that is kept alive: its signal is aborted the moment that it may no longer be ours. */
import { ProviderServiceService, type Lease } from '../../generated/proto/quorate/provider/v1/provider';
import type { AgentSession } from './agent-session';
import { BackOff } from './back-off';
import { isPassing } from './provider-connection';
import { isAborted, pause, unlessAborted } from './wait';

const RENEW_CALL_MS = 5_000;

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export class HeldLease {
  private readonly lost = new AbortController();
  private readonly released = new AbortController();
  private endsAtMs: number;
  private durationMs: number;
  private lapse: NodeJS.Timeout | undefined;

  /** `askedAtMs` (monotonic) from before the claim: the server's lease cannot have begun earlier. */
  constructor(
    private readonly session: AgentSession,
    readonly requestId: string,
    private readonly lease: Lease,
    askedAtMs: number,
  ) {
    this.durationMs = lease.durationSeconds * 1000;
    this.endsAtMs = askedAtMs + this.durationMs;
    this.watch();
    void this.keep();
  }

  get signal(): AbortSignal {
    return this.lost.signal;
  }

  get fencingToken(): bigint {
    return this.lease.fencingToken;
  }

  /** Also without its timer: the process may have slept. */
  get isHeld(): boolean {
    if (performance.now() >= this.endsAtMs) {
      this.lose('the lease ran out');
    }
    return !this.lost.signal.aborted;
  }

  lose(reason: string): void {
    if (!this.lost.signal.aborted) {
      this.lost.abort(new LeaseLostError(reason));
    }
    this.release();
  }

  /** No more renewals; the work is over. */
  release(): void {
    clearTimeout(this.lapse);
    this.released.abort();
  }

  /** Sends a report again and again while the server is away and the lease lives. Rejects when either refuses. */
  async report<T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const backOff = new BackOff({ firstMs: 250, maxMs: 3_000 });
    for (;;) {
      if (!this.isHeld) {
        throw this.signal.reason as LeaseLostError;
      }
      try {
        return await unlessAborted(send(this.signal), this.signal);
      } catch (error) {
        if (!isPassing(error)) {
          throw error;
        }
        await pause(backOff.nextMs(), this.signal);
      }
    }
  }

  private watch(): void {
    clearTimeout(this.lapse);
    this.lapse = setTimeout(() => {
      this.lose('the lease ran out');
    }, this.endsAtMs - performance.now());
  }

  private async keep(): Promise<void> {
    const over = this.released.signal;
    const backOff = new BackOff({ firstMs: 250, maxMs: 2_000 });
    await pause(this.durationMs / 3, over);
    while (!over.aborted) {
      const askedAtMs = performance.now();
      try {
        await this.renew(askedAtMs);
        backOff.reset();
        await pause(this.durationMs / 3, over);
      } catch (error) {
        if (!isAborted(over) && !isPassing(error)) {
          this.lose('the server gave the request to somebody else');
        }
        await pause(backOff.nextMs(), over);
      }
    }
  }

  private async renew(askedAtMs: number): Promise<void> {
    const { requestId, fencingToken } = this;
    const limits = { timeoutMs: RENEW_CALL_MS, signal: this.released.signal };
    const { lease } = await this.session.call(
      ProviderServiceService.renewLease,
      { requestId, fencingToken },
      limits,
    );
    if (lease !== undefined && lease.durationSeconds > 0) {
      this.durationMs = lease.durationSeconds * 1000;
    }
    if (!this.released.signal.aborted) {
      this.endsAtMs = Math.max(this.endsAtMs, askedAtMs + this.durationMs);
      this.watch();
    }
  }
}
