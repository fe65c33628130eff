import type { Page, PageRequest } from '../../platform/http/paging';
import type { TenantTx } from '../tenancy/tenant-unit-of-work';

export const OPERATION_STATES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Superseded'] as const;
export type OperationState = (typeof OPERATION_STATES)[number];
export const OPERATION_KINDS = ['create', 'update', 'delete'] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];

export interface OperationStep {
  readonly name: string;
  readonly state: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly message: string;
}

export interface OperationRow {
  readonly id: string;
  readonly clusterId: string | null;
  readonly clusterName: string | null;
  readonly kind: string;
  readonly state: OperationState;
  readonly generation: number;
  readonly steps: readonly Partial<OperationStep>[];
  readonly message: string;
  readonly error: { readonly code?: string; readonly message?: string } | null;
  readonly requestedBy: string;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export interface NewOperation {
  readonly clusterId: string;
  readonly clusterName: string;
  readonly kind: OperationKind;
  readonly generation: number;
  readonly requestedBy: string;
  readonly message: string;
  /** Succeeded at once when there was nothing to do. */
  readonly state: 'Pending' | 'Succeeded';
}

export interface OperationFilter {
  readonly cluster?: string | undefined;
  readonly state?: OperationState | undefined;
}

export abstract class OperationRepository {
  abstract list(tx: TenantTx, filter: OperationFilter, page: PageRequest): Promise<Page<OperationRow>>;
  abstract find(tx: TenantTx, id: string): Promise<OperationRow | undefined>;
  abstract create(tx: TenantTx, operation: NewOperation, now: Date): Promise<OperationRow>;
  /** The newest Pending or Running operation of the cluster. */
  abstract findUnfinished(tx: TenantTx, clusterId: string): Promise<OperationRow | undefined>;
  /** Pending and Running ones become Superseded; answers their ids. */
  abstract supersede(tx: TenantTx, clusterId: string, message: string, now: Date): Promise<readonly string[]>;
}
