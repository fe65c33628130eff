/** The only door to tenant data: one transaction, one tenant. Repositories accept nothing but its TenantTx. */

declare const brand: unique symbol;

/** A transaction that sees the rows of one tenant and no others. */
export interface TenantTx {
  readonly tenantId: string;
  readonly [brand]: true;
}

export abstract class TenantUnitOfWork {
  /** Runs `work` in one transaction as the tenant. No network call inside; retry nothing here: a lost race is `stale`. */
  abstract run<T>(tenantId: string, work: (tx: TenantTx) => Promise<T>): Promise<T>;
}
