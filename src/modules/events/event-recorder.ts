import type { TenantTx } from '../tenancy/tenant-unit-of-work';

export const EVENT_TYPES = ['Normal', 'Warning'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface EventEntry {
  /** The tenant that reads it: names nothing hidden. */
  readonly tenantId: string;
  readonly clusterId: string | null;
  readonly type: EventType;
  /** CamelCase, stable. */
  readonly reason: string;
  readonly message: string;
}

/** Tells people what happened; an equal one is counted, not repeated. Also tells the watches. */
export abstract class EventRecorder {
  /** In the caller's transaction. */
  abstract recordIn(tx: TenantTx, entry: EventEntry): Promise<void>;
  /** In a transaction of its own, across tenants: for the reconcilers. */
  abstract record(entry: EventEntry): Promise<void>;
}
