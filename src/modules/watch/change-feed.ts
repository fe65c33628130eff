import type { OutboxKind } from '../tenancy/outbox';
import type { TenantTx } from '../tenancy/tenant-unit-of-work';

export interface PublishedChange {
  readonly seq: bigint;
  readonly kind: OutboxKind;
  readonly objectId: string;
  readonly change: 'created' | 'updated' | 'deleted';
}

/** Published changes of one tenant, in commit order. */
export abstract class ChangeFeed {
  /** Changes up to here were dropped: a watch cannot resume from below. */
  abstract prunedTo(tx: TenantTx): Promise<bigint>;
  /** The newest number that this tenant has seen. */
  abstract newest(tx: TenantTx): Promise<bigint>;
  abstract after(
    tx: TenantTx,
    seq: bigint,
    kinds: readonly OutboxKind[],
    limit: number,
  ): Promise<readonly PublishedChange[]>;
}

/** Tells that something was published, somewhere. One connection per process, however many watches. */
export abstract class ChangeSignal {
  /** Calls back after each publication, and after a reconnect; answers how to stop. */
  abstract subscribe(listener: () => void): () => void;
}
