import type { TenantTx } from './tenant-unit-of-work';

export interface AuditEntry {
  /** `token:<name>`, `agent:<name>`, `reconciler`. */
  readonly actor: string;
  /** `cluster.create`, `token.revoke`, `kubeconfig.read`, ... */
  readonly action: string;
  /** `cluster/demo`. */
  readonly object: string;
  readonly outcome: 'allowed' | 'denied' | 'failed';
  readonly requestId: string;
  /** Keys and numbers only; never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Append-only, hash-chained per tenant: each row's hash covers the one before it. */
export abstract class AuditLog {
  abstract append(tx: TenantTx, entry: AuditEntry): Promise<void>;
  /** Walks the tenant's chain; the sequence number of the first row that does not fit, or undefined when all fit. */
  abstract verify(tx: TenantTx): Promise<bigint | undefined>;
}
