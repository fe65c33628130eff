import type { TenantTx } from '../tenancy/tenant-unit-of-work';

/** 24 hours from the first request, keyed by who asked for what. */
export interface IdempotencyScope {
  /** Id of the token. */
  readonly principal: string;
  /** Method and path as sent. */
  readonly route: string;
  readonly key: string;
}

export type IdempotencyClaim =
  | { readonly kind: 'first' }
  | { readonly kind: 'running' }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'done'; readonly status: number; readonly response: unknown };

export abstract class IdempotencyStore {
  abstract claim(
    tx: TenantTx,
    scope: IdempotencyScope,
    requestHash: Uint8Array<ArrayBuffer>,
    now: Date,
  ): Promise<IdempotencyClaim>;
  abstract complete(tx: TenantTx, scope: IdempotencyScope, status: number, response: unknown): Promise<void>;
  /** The request failed: the next one with this key is a first one again. */
  abstract release(tx: TenantTx, scope: IdempotencyScope): Promise<void>;
}
