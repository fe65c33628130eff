/**
 * Publishes changes after their commit: gives them numbers, marks keys as due, hints the queue, wakes the watches.
 *
 * Only this relay numbers rows, one transaction after another, and only rows that it can see. A row that commits late
 * gets a late number, whatever its id; so a watcher that has read up to seq n has missed nothing below n
 * (docs/adr/0004). A number taken from the sequence by the writer itself would be visible out of order.
 */
import type { Client } from 'pg';
import { reasonOf } from '../../reconcile/runtime/reason-of';
import type { ReconcileLog, ReconcileMetrics } from '../../reconcile/runtime/reconcile-metrics';
import type { ReconcileQueue } from '../../reconcile/runtime/reconcile-queue';
import { pruneOutbox, publishBatch, BATCH } from './outbox-relay-statements';
import type { LeaderDuty } from './reconcile-leader';
import { dueKeys, insertMissingKeys } from './reconcile-sweep';

export interface RelayParts {
  readonly queue: Pick<ReconcileQueue, 'hint'>;
  readonly metrics: ReconcileMetrics;
  readonly log: ReconcileLog;
}

/** In milliseconds. */
export interface RelayTimes {
  readonly sweepEvery: number;
  readonly pruneEvery: number;
  readonly keepPublished: number;
  /** How long without a notification until it looks by itself: first and, when nothing comes, at most. */
  readonly pollFirst: number;
  readonly pollLast: number;
}

export const RELAY_TIMES: RelayTimes = {
  sweepEvery: 10_000,
  pruneEvery: 60_000,
  keepPublished: 3_600_000,
  pollFirst: 1_000,
  pollLast: 5_000,
};

export class OutboxRelay implements LeaderDuty {
  constructor(
    private readonly parts: RelayParts,
    private readonly times: RelayTimes = RELAY_TIMES,
  ) {}

  lead(session: Client): () => void {
    const term = new Term(session, this.parts, this.times);
    void term.run();
    return () => term.end();
  }
}

/** The time in office of one leader, in one session. */
class Term {
  private over = false;
  private wakeUp: () => void = () => undefined;
  private notified = false;
  private sweepAt = 0;
  private pruneAt = 0;

  constructor(
    private readonly session: Client,
    private readonly parts: RelayParts,
    private readonly times: RelayTimes,
  ) {}

  async run(): Promise<void> {
    this.session.on('notification', this.poke);
    let pollMs = this.times.pollFirst;
    let begun = false;
    while (!this.over) {
      try {
        if (!begun) {
          await this.session.query('LISTEN quorate_outbox');
          await insertMissingKeys(this.session);
          begun = true;
        }
        const published = await this.publish();
        await this.chores();
        pollMs = published > 0 ? this.times.pollFirst : Math.min(pollMs * 2, this.times.pollLast);
        if (published < BATCH) {
          await this.pause(pollMs);
        }
      } catch (error) {
        if (!this.isOver()) {
          this.parts.log.warn({ error: reasonOf(error) }, 'outbox relay failed');
          await this.session.query('ROLLBACK').catch(() => undefined);
          await this.pause(this.times.pollFirst);
        }
      }
    }
  }

  /** A call, since the flag changes while `run` waits. */
  private isOver(): boolean {
    return this.over;
  }

  end(): void {
    this.over = true;
    this.session.off('notification', this.poke);
    this.wakeUp();
  }

  private readonly poke = (): void => {
    this.notified = true;
    this.wakeUp();
  };

  private async publish(): Promise<number> {
    const batch = await publishBatch(this.session);
    if (batch.count > 0) {
      this.parts.metrics.outboxLag(batch.lagSeconds);
      this.hint('relay', batch.keys);
    }
    return batch.count;
  }

  private async chores(): Promise<void> {
    const now = performance.now();
    if (now >= this.sweepAt) {
      this.sweepAt = now + this.times.sweepEvery;
      this.hint('sweep', await dueKeys(this.session));
    }
    if (now >= this.pruneAt) {
      this.pruneAt = now + this.times.pruneEvery;
      await pruneOutbox(this.session, this.times.keepPublished);
    }
  }

  /** Not awaited: a queue that is away must not hold up the watches. Its keys are due, so the sweep repeats the hint. */
  private hint(source: 'relay' | 'sweep', keys: readonly string[]): void {
    if (keys.length === 0) {
      return;
    }
    this.parts.metrics.hinted(source, keys.length);
    this.parts.queue.hint(keys).catch((error: unknown) => {
      this.parts.log.warn({ keys: keys.length, error: reasonOf(error) }, 'queue did not take hints');
    });
  }

  /** A notification that came in since the last look ends it at once. */
  private async pause(forMs: number): Promise<void> {
    if (!this.notified && !this.over) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(forMs, Math.max(1, this.sweepAt - performance.now())));
        this.wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.notified = false;
  }
}
