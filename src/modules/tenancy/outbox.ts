import type { TenantTx } from './tenant-unit-of-work';

/** Kinds that a watch can tell of. */
export const OUTBOX_KINDS = [
  'Cluster',
  'ClusterMachine',
  'Operation',
  'Event',
  'MachineRequest',
  'Machine',
  'Provider',
  'Token',
  'MachineClass',
] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

export interface OutboxEntry {
  readonly kind: OutboxKind;
  readonly objectId: string;
  readonly change: 'created' | 'updated' | 'deleted';
  /** Reconcile key to hint, for instance `cluster:<id>`. */
  readonly hintKey?: string;
}

/** Says what changed, in the transaction that changes it. The relay publishes after commit, in commit order. */
export abstract class Outbox {
  abstract append(tx: TenantTx, entry: OutboxEntry): Promise<void>;
}
