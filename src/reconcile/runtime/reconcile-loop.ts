/** The only code that knows the order: acquire -> {observe, plan, status, steps}* -> release. One call is one pass. */
import type { Plan, Step } from '../../domain/planner/plan';
import { DomainError } from '../../domain/shared/errors';
import { backoffMs, slowResyncMs, type Jitter } from './backoff';
import { FencedOut, type Lease } from './lease';
import type { Acquisition, LeaseStore } from './lease-store';
import type { PassResult, ReconcileLog, ReconcileMetrics } from './reconcile-metrics';
import type { ReconcileQueue } from './reconcile-queue';
import type { Reconciler } from './reconciler';
import type { StepJournal } from './step-journal';
import { reasonOf } from './reason-of';
import { takeSteps } from './take-steps';

export interface LoopOptions {
  /** Unique per process; goes into leases and the journal. */
  readonly owner: string;
  /** After this a dead owner's keys are free; the heartbeat comes three times in it. */
  readonly leaseMs: number;
  /** Observations per pass, so that a planner that never settles gives the slot back. */
  readonly maxRounds: number;
  /** Free steps that say `parallel` and run together. */
  readonly parallelSteps: number;
  readonly journalKeep: number;
}

export const LOOP_DEFAULTS = { leaseMs: 30_000, maxRounds: 8, parallelSteps: 4, journalKeep: 200 } as const;

export interface LoopParts<Snapshot, S extends Step> {
  readonly reconciler: Reconciler<Snapshot, S>;
  readonly leases: LeaseStore;
  readonly journal: StepJournal;
  readonly queue: Pick<ReconcileQueue, 'hint' | 'wake'>;
  readonly metrics: ReconcileMetrics;
  readonly log: ReconcileLog;
  /** Wall clock. */
  readonly now: () => Date;
  readonly jitter: Jitter;
}

type Acquired = Extract<Acquisition, { is: 'acquired' }>;
type Outcome =
  | { readonly is: 'settled' }
  | { readonly is: 'requeued'; readonly dueInMs: number }
  | { readonly is: 'failed'; readonly dueInMs: number; readonly error: string }
  | { readonly is: 'gone' };

/** Steps that change nothing must not spin. */
const UNSETTLED_PAUSE_MS = 1_000;
const AFTER_DISRUPTION_MS = 50;
/** Longer waits need no timer of their own: the sweep is late by seconds only. */
const LONGEST_WAKE_MS = 600_000;

export class ReconcileLoop<Snapshot, S extends Step> {
  constructor(
    private readonly parts: LoopParts<Snapshot, S>,
    private readonly options: LoopOptions,
  ) {}

  /** Never throws for what went wrong with one object: that is in its row. Throws when the database is away. */
  async run(key: string): Promise<PassResult> {
    const { leases, metrics, reconciler, now } = this.parts;
    const startedAt = now().getTime();
    const acquired = await leases.acquire(key, this.options.owner, this.options.leaseMs);
    if (acquired.is === 'not-due') {
      await this.wakeWhenDue(key, acquired.dueInMs);
    }
    const result = acquired.is === 'acquired' ? await this.pass(acquired) : acquired.is;
    metrics.passEnded(reconciler.kind, result, (now().getTime() - startedAt) / 1000);
    return result;
  }

  private async pass(acquired: Acquired): Promise<PassResult> {
    const { lease } = acquired;
    const { leases, log } = this.parts;
    const heartbeat = setInterval(() => {
      leases.extend(lease, this.options.leaseMs).catch((error: unknown) => {
        log.warn({ key: lease.key, error: reasonOf(error) }, 'lease was not extended');
      });
    }, this.options.leaseMs / 3);
    try {
      const outcome = await this.rounds(acquired).catch((error: unknown) => this.failure(acquired, error));
      await this.settle(acquired, outcome);
      return outcome.is;
    } catch (error) {
      if (error instanceof FencedOut) {
        return 'fenced-out';
      }
      throw error;
    } finally {
      clearInterval(heartbeat);
    }
  }

  private async rounds(acquired: Acquired): Promise<Outcome> {
    const { lease } = acquired;
    const { reconciler, journal } = this.parts;
    let journalled = false;
    try {
      for (let round = 0; round < this.options.maxRounds; round += 1) {
        const snapshot = await reconciler.observe(lease.id, lease);
        if (round === 0 && (acquired.takenOver || acquired.failures > 0)) {
          await journal.abandonOlder(lease);
        }
        if (snapshot === undefined) {
          return { is: 'gone' };
        }
        const plan = reconciler.plan(snapshot);
        await reconciler.writeStatus(snapshot, plan, lease);
        if (plan.steps.length === 0) {
          return this.rest(plan);
        }
        journalled = true;
        const stale = await this.take(plan, snapshot, lease);
        if (!stale && plan.steps.some((step) => step.disruptive)) {
          // One disruption per pass. What it did is for a new pass to see.
          return { is: 'requeued', dueInMs: AFTER_DISRUPTION_MS };
        }
      }
      return { is: 'requeued', dueInMs: UNSETTLED_PAUSE_MS };
    } finally {
      if (journalled) {
        await journal.prune(lease, this.options.journalKeep).catch(() => undefined);
      }
    }
  }

  /** @returns true when a write found its row changed: nothing failed, the plan is old. */
  private async take(plan: Plan<S>, snapshot: Snapshot, lease: Lease): Promise<boolean> {
    try {
      await takeSteps(this.parts, plan.steps, snapshot, lease, this.options.parallelSteps);
      return false;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'stale') {
        return true;
      }
      throw error;
    }
  }

  private rest(plan: Plan<S>): Outcome {
    const dueInMs = plan.requeueAfterMs;
    return dueInMs === undefined ? { is: 'settled' } : { is: 'requeued', dueInMs: Math.max(dueInMs, 1) };
  }

  private failure(acquired: Acquired, error: unknown): Outcome {
    if (error instanceof FencedOut) {
      throw error;
    }
    const { lease, failures } = acquired;
    const reason = reasonOf(error);
    const told = error instanceof DomainError ? error.options.retryAfterMs : undefined;
    const dueInMs = told ?? backoffMs(failures, this.parts.jitter);
    const facts = { key: lease.key, tenant: lease.tenantId, failures: failures + 1, dueInMs, error: reason };
    this.parts.log.warn(facts, 'reconcile failed');
    return { is: 'failed', dueInMs, error: reason };
  }

  private async settle(acquired: Acquired, outcome: Outcome): Promise<void> {
    const { leases, jitter, queue, metrics } = this.parts;
    const { lease } = acquired;
    if (outcome.is === 'gone') {
      return leases.forget(lease);
    }
    const dueInMs = await leases.release(lease, {
      dueInMs: outcome.is === 'settled' ? slowResyncMs(jitter) : outcome.dueInMs,
      failures: outcome.is === 'failed' ? acquired.failures + 1 : 0,
      lastError: outcome.is === 'failed' ? outcome.error : undefined,
    });
    if (dueInMs <= 0) {
      metrics.hinted('loop', 1);
      await this.quietly(lease.key, queue.hint([lease.key]));
    } else if (outcome.is !== 'settled') {
      await this.wakeWhenDue(lease.key, dueInMs);
    }
  }

  private async wakeWhenDue(key: string, dueInMs: number): Promise<void> {
    if (dueInMs < LONGEST_WAKE_MS) {
      const at = new Date(this.parts.now().getTime() + Math.max(0, dueInMs));
      await this.quietly(key, this.parts.queue.wake(key, at));
    }
  }

  /** The queue may be away: the sweep finds the key by its `due_at`. */
  private async quietly(key: string, sent: Promise<void>): Promise<void> {
    await sent.catch((error: unknown) => {
      this.parts.log.warn({ key, error: reasonOf(error) }, 'queue did not take a hint');
    });
  }
}
