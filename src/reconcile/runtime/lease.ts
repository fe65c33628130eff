/** Who may act on a key, and how it is known that nobody else does: a lease with a growing fence. */

export interface Lease {
  /** `cluster:<id>`. */
  readonly key: string;
  /** Id of the object behind the key. */
  readonly id: string;
  /** From the key's row, never from a job's payload. */
  readonly tenantId: string;
  /** The loop that holds it; unique per process. */
  readonly owner: string;
  /** Grows with each acquisition; a write that carries an older one is refused. */
  readonly fence: bigint;
}

/** The lease went to somebody else: stop at once and silently; the new owner observes what was done. */
export class FencedOut extends Error {
  constructor(lease: Pick<Lease, 'key' | 'fence'>) {
    super(`the lease on ${lease.key} with fence ${lease.fence} is not held any more`);
    this.name = 'FencedOut';
  }
}
