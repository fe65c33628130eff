import type { Lease } from './lease';

declare const brand: unique symbol;

/** A transaction of the system role that holds the lease's row: only FencedWrites makes one. */
export interface SystemTx {
  readonly lease: Lease;
  readonly [brand]: true;
}

/** The only way in which a reconciler writes: what it writes commits only while its lease is its own. */
export abstract class FencedWrites {
  /**
   * Runs `work` in one transaction that no takeover can overlap.
   * Adapters get the Prisma client of the transaction with `systemClientOf(tx)`. No network call inside `work`.
   * @throws FencedOut when the lease is held by another owner or fence, or by nobody.
   */
  abstract run<T>(lease: Lease, work: (tx: SystemTx) => Promise<T>): Promise<T>;
}
