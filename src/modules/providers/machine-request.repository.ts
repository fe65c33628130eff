import type { RequestAction } from '../../domain/provider/choose-action';
import type { HeldView, Holder } from '../../domain/provider/judge-report';
import type { RequestPhase } from '../../domain/planner/cluster-snapshot';
import type { MachineShape } from '../../domain/tiers/size-tiers';
import type { TenantTx } from '../tenancy/tenant-unit-of-work';

export interface PendingWork {
  readonly requestId: string;
  readonly action: RequestAction;
}

export interface ClaimedRequest extends PendingWork {
  readonly name: string;
  readonly clusterId: string;
  readonly phase: RequestPhase;
  readonly shape: MachineShape;
  readonly talosVersion: string;
  readonly schematicId: string;
  readonly machineRef: string | null;
  readonly attempt: number;
  readonly fencingToken: bigint;
  readonly leaseExpiresAt: Date;
}

export interface RequestRow extends HeldView {
  readonly id: string;
  readonly name: string;
  readonly clusterId: string;
  readonly requestSetId: string;
  readonly attempt: number;
  readonly step: ProgressStep | null;
  readonly machineRef: string | null;
  readonly machineId: string | null;
}

/** A report is written only while the lease is the one that it names, in the same statement. */
export interface HeldRequest extends Holder {
  readonly providerId: string;
  readonly requestId: string;
}

export interface ProgressStep {
  readonly name: string;
  readonly index: number;
  readonly count: number;
  readonly message: string;
}

export interface RequestFailure {
  readonly code: string;
  readonly message: string;
}

/** What agents do to the requests of their provider; `false` and `undefined` mean that the lease was not theirs. */
export abstract class MachineRequestRepository {
  /** What an agent of this provider may claim now, oldest first. */
  abstract listClaimable(tx: TenantTx, providerId: string, limit: number): Promise<readonly PendingWork[]>;
  /** One statement: of several agents that claim at once, one gets it. */
  abstract claim(
    tx: TenantTx,
    providerId: string,
    requestId: string,
    agentId: string,
    leaseMs: number,
  ): Promise<ClaimedRequest | undefined>;
  /** The new end of a lease that has not run out yet. */
  abstract renewLease(tx: TenantTx, held: HeldRequest, leaseMs: number): Promise<Date | undefined>;
  /** Requests of other providers are not found. */
  abstract find(tx: TenantTx, providerId: string, requestId: string): Promise<RequestRow | undefined>;
  /** As `find`; reports about one request go one after another, until the end of the transaction. */
  abstract findForReport(
    tx: TenantTx,
    providerId: string,
    requestId: string,
  ): Promise<RequestRow | undefined>;
  /** Another request of the provider that carries this reference. */
  abstract isRefTaken(tx: TenantTx, held: HeldRequest, machineRef: string): Promise<boolean>;
  abstract recordProgress(
    tx: TenantTx,
    held: HeldRequest,
    phase: RequestPhase,
    step: ProgressStep,
    machineRef: string | null,
  ): Promise<boolean>;
  abstract recordProvisioned(
    tx: TenantTx,
    held: HeldRequest,
    machine: { readonly ref: string; readonly machineId: string },
  ): Promise<boolean>;
  /** `retryInMs` undefined: never. */
  abstract recordFailure(
    tx: TenantTx,
    held: HeldRequest,
    phase: RequestPhase,
    failure: RequestFailure,
    retryInMs: number | undefined,
  ): Promise<boolean>;
  abstract recordDeprovisioned(tx: TenantTx, held: HeldRequest): Promise<boolean>;
}
