import type { Step } from '../../domain/planner/plan';
import type { Lease } from './lease';

/** Write-ahead: a step has a row before its effect is sent, so that no effect is without a trace. */
export abstract class StepJournal {
  /**
   * @returns the id of the row.
   * @throws FencedOut when the lease is not held any more: the step must not be taken.
   */
  abstract begin(lease: Lease, step: Step): Promise<string>;
  /** Leaves a row alone that a new owner has closed already. */
  abstract finish(entryId: string, outcome: 'done' | 'failed', error?: string): Promise<void>;
  /** Closes what owners with an older fence left open; their effects are for `observe` to find out. */
  abstract abandonOlder(lease: Lease): Promise<void>;
  /** Keeps the last `keep` rows of the object. */
  abstract prune(lease: Lease, keep: number): Promise<void>;
}
