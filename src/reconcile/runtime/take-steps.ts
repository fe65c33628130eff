/** Takes the steps of one plan: free ones in order, and the first disruptive one as the last. Journal before effect. */
import type { Step } from '../../domain/planner/plan';
import { DomainError } from '../../domain/shared/errors';
import { FencedOut, type Lease } from './lease';
import { reasonOf } from './reason-of';
import type { ReconcileMetrics } from './reconcile-metrics';
import type { Reconciler } from './reconciler';
import type { StepJournal } from './step-journal';

interface Parts<Snapshot, S extends Step> {
  readonly reconciler: Pick<Reconciler<Snapshot, S>, 'execute'>;
  readonly journal: StepJournal;
  readonly metrics: ReconcileMetrics;
  readonly now: () => Date;
}

/** @throws what the first failing step threw; later steps are not taken. */
export async function takeSteps<Snapshot, S extends Step>(
  parts: Parts<Snapshot, S>,
  steps: readonly S[],
  snapshot: Snapshot,
  lease: Lease,
  parallel: number,
): Promise<void> {
  for (const batch of batches(steps, parallel)) {
    // All of a batch come to their end before a failure counts: nothing may run on after the lease is given back.
    const ends = await Promise.allSettled(batch.map((step) => takeStep(parts, step, snapshot, lease)));
    const failed = ends.filter((end) => end.status === 'rejected').map((end) => end.reason as unknown);
    if (failed.length > 0) {
      throw failed.find((reason) => reason instanceof FencedOut) ?? failed[0];
    }
  }
}

/** Neighbors that say `parallel` go together; nothing comes after a disruptive step. */
export function batches<S extends Step>(steps: readonly S[], parallel: number): S[][] {
  const out: S[][] = [];
  for (const step of steps) {
    const last = out.at(-1);
    const joins = together(step) && last !== undefined && last.length < parallel && last.every(together);
    if (joins) {
      last.push(step);
    } else {
      out.push([step]);
    }
    if (step.disruptive) {
      break;
    }
  }
  return out;
}

const together = (step: Step): boolean => step.parallel === true && !step.disruptive;

async function takeStep<Snapshot, S extends Step>(
  { reconciler, journal, metrics, now }: Parts<Snapshot, S>,
  step: S,
  snapshot: Snapshot,
  lease: Lease,
): Promise<void> {
  const startedAt = now().getTime();
  const ended = (outcome: 'done' | 'failed') =>
    metrics.stepEnded(step.type, outcome, (now().getTime() - startedAt) / 1000);
  const entry = await journal.begin(lease, step);
  try {
    await withDeadline(reconciler.execute(step, snapshot, lease), step);
  } catch (error) {
    ended('failed');
    // A fenced-out owner closes nothing: the row belongs to the new owner's "abandoned".
    if (!(error instanceof FencedOut)) {
      await journal.finish(entry, 'failed', reasonOf(error)).catch(() => undefined);
    }
    throw error;
  }
  ended('done');
  await journal.finish(entry, 'done');
}

/** What still runs after the deadline can write nothing more: the lease is given back, and FencedWrites refuses. */
async function withDeadline(work: Promise<void>, step: Step): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `step ${step.type} on ${step.target} did not end within ${step.deadlineMs} ms`;
      reject(new DomainError('unavailable', 'STEP_TIMED_OUT', message));
    }, step.deadlineMs);
  });
  try {
    await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
