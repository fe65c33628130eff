import type { Lease } from './lease';

export type Acquisition =
  | {
      readonly is: 'acquired';
      readonly lease: Lease;
      /** Passes in a row that failed. */
      readonly failures: number;
      /** The last owner did not release: it died, or lost its database; its journal may have open rows. */
      readonly takenOver: boolean;
    }
  /** Somebody alive has it; its release sees what came in meanwhile. */
  | { readonly is: 'busy' }
  /** Another pass has been faster, or a timer is early. */
  | { readonly is: 'not-due'; readonly dueInMs: number }
  | { readonly is: 'missing' };

export interface Release {
  /** From now, in milliseconds. A hint that came in during the pass wins over it. */
  readonly dueInMs: number;
  readonly failures: number;
  /** For operators; not a tenant's text. */
  readonly lastError: string | undefined;
}

/** The rows of `reconcile_keys`: what is due, who works on it. All times are the database's own. */
export abstract class LeaseStore {
  /** Takes the lease, and a new fence with it, when the key is due and nobody alive has it. Never waits for a lock. */
  abstract acquire(key: string, owner: string, leaseMs: number): Promise<Acquisition>;
  /** @returns false when the lease went to somebody else. */
  abstract extend(lease: Lease, leaseMs: number): Promise<boolean>;
  /**
   * Gives the lease back.
   * @returns in how many milliseconds the key is due; 0 or less = a hint came in during the pass.
   * @throws FencedOut
   */
  abstract release(lease: Lease, release: Release): Promise<number>;
  /** The object is gone: so is its key. */
  abstract forget(lease: Lease): Promise<void>;
  /** From the key's row; undefined when it has none. */
  abstract tenantOf(key: string): Promise<string | undefined>;
}
