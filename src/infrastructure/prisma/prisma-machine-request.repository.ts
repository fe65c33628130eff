import { Prisma, type MachineRequest } from '../../generated/prisma/client';
import type { RequestPhase } from '../../domain/planner/cluster-snapshot';
import {
  MachineRequestRepository,
  type ClaimedRequest,
  type HeldRequest,
  type PendingWork,
  type ProgressStep,
  type RequestFailure,
  type RequestRow,
} from '../../modules/providers/machine-request.repository';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { ACTION, CLAIM, CLAIMABLE, inMs } from './machine-request-statements';
import { clientOf } from './prisma-tenant-unit-of-work';

/** Image Factory id of the schematic without extensions and arguments. */
const PLAIN_SCHEMATIC = '376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba';

interface ClaimedRow {
  readonly id: string;
  readonly name: string;
  readonly cluster_id: string;
  readonly phase: RequestPhase;
  readonly action: PendingWork['action'];
  readonly spec: { shape: ClaimedRequest['shape']; talosVersion: string; schematicId?: string };
  readonly provider_machine_ref: string | null;
  readonly attempt: number;
  readonly fencing_token: bigint;
  readonly lease_expires_at: Date;
}

const ENDED = { leaseHolder: null, leaseExpiresAt: null, step: Prisma.DbNull } as const;

export class PrismaMachineRequestRepository extends MachineRequestRepository {
  listClaimable(tx: TenantTx, providerId: string, limit: number): Promise<readonly PendingWork[]> {
    return clientOf(tx).$queryRaw<PendingWork[]>`
      SELECT id::text AS "requestId", ${ACTION} AS action FROM machine_requests
      WHERE provider_id = ${providerId}::uuid AND ${CLAIMABLE} ORDER BY id LIMIT ${limit}`;
  }

  async claim(
    tx: TenantTx,
    providerId: string,
    requestId: string,
    agentId: string,
    leaseMs: number,
  ): Promise<ClaimedRequest | undefined> {
    const [row] = await clientOf(tx).$queryRaw<ClaimedRow[]>`
      UPDATE machine_requests SET lease_holder = ${agentId}::uuid, lease_expires_at = ${inMs(leaseMs)}, ${CLAIM}
      WHERE id = ${requestId}::uuid AND provider_id = ${providerId}::uuid AND ${CLAIMABLE}
      RETURNING id::text, name, cluster_id::text, phase, ${ACTION} AS action, spec, provider_machine_ref, attempt,
                fencing_token, lease_expires_at`;
    return row && claimedOf(row);
  }

  async renewLease(tx: TenantTx, held: HeldRequest, leaseMs: number): Promise<Date | undefined> {
    const { requestId, providerId, agentId, fencingToken } = held;
    const [row] = await clientOf(tx).$queryRaw<{ lease_expires_at: Date }[]>`
      UPDATE machine_requests SET lease_expires_at = ${inMs(leaseMs)}
      WHERE id = ${requestId}::uuid AND provider_id = ${providerId}::uuid AND lease_holder = ${agentId}::uuid
        AND fencing_token = ${fencingToken} AND lease_expires_at > now()
      RETURNING lease_expires_at`;
    return row?.lease_expires_at;
  }

  async find(tx: TenantTx, providerId: string, requestId: string): Promise<RequestRow | undefined> {
    const row = await clientOf(tx).machineRequest.findFirst({ where: { id: requestId, providerId } });
    return row === null ? undefined : presentRow(row);
  }

  async findForReport(tx: TenantTx, providerId: string, requestId: string): Promise<RequestRow | undefined> {
    await clientOf(tx).$queryRaw`
      SELECT 1 FROM machine_requests WHERE id = ${requestId}::uuid AND provider_id = ${providerId}::uuid FOR NO KEY UPDATE`;
    return this.find(tx, providerId, requestId);
  }

  async isRefTaken(
    tx: TenantTx,
    { providerId, requestId }: HeldRequest,
    providerMachineRef: string,
  ): Promise<boolean> {
    const others = await clientOf(tx).machineRequest.count({
      where: { providerId, providerMachineRef, id: { not: requestId } },
    });
    return others > 0;
  }

  recordProgress(
    tx: TenantTx,
    held: HeldRequest,
    phase: RequestPhase,
    step: ProgressStep,
    machineRef: string | null,
  ): Promise<boolean> {
    const ref = machineRef === null ? {} : { providerMachineRef: machineRef };
    return this.write(tx, held, { phase, step: { ...step }, ...ref });
  }

  recordProvisioned(
    tx: TenantTx,
    held: HeldRequest,
    { ref, machineId }: { ref: string; machineId: string },
  ): Promise<boolean> {
    return this.write(tx, held, {
      ...ENDED,
      phase: 'Provisioned',
      providerMachineRef: ref,
      machineId,
      lastError: Prisma.DbNull,
      nextAttemptAt: null,
    });
  }

  async recordFailure(
    tx: TenantTx,
    held: HeldRequest,
    phase: RequestPhase,
    failure: RequestFailure,
    retryInMs: number | undefined,
  ): Promise<boolean> {
    // The database's clock, as in every comparison with it.
    const [clock] = await clientOf(tx).$queryRaw<{ at: Date }[]>`SELECT ${inMs(retryInMs ?? 0)} AS at`;
    const nextAttemptAt = retryInMs === undefined ? null : (clock?.at ?? null);
    return this.write(tx, held, {
      ...ENDED,
      phase,
      lastError: { ...failure, at: new Date().toISOString() },
      nextAttemptAt,
    });
  }

  recordDeprovisioned(tx: TenantTx, held: HeldRequest): Promise<boolean> {
    return this.write(tx, held, {
      ...ENDED,
      phase: 'Deprovisioned',
      lastError: Prisma.DbNull,
      nextAttemptAt: null,
    });
  }

  /** One statement that changes the row only while the lease is the caller's. */
  private async write(
    tx: TenantTx,
    held: HeldRequest,
    data: Prisma.MachineRequestUpdateManyMutationInput,
  ): Promise<boolean> {
    const { requestId: id, providerId, agentId: leaseHolder, fencingToken } = held;
    const { count } = await clientOf(tx).machineRequest.updateMany({
      where: { id, providerId, leaseHolder, fencingToken },
      data: { ...data, updatedAt: new Date(), version: { increment: 1 } },
    });
    return count === 1;
  }
}

function claimedOf(row: ClaimedRow): ClaimedRequest {
  const { shape, talosVersion, schematicId = PLAIN_SCHEMATIC } = row.spec;
  return {
    requestId: row.id,
    name: row.name,
    clusterId: row.cluster_id,
    action: row.action,
    phase: row.phase,
    shape,
    talosVersion,
    schematicId,
    machineRef: row.provider_machine_ref,
    attempt: row.attempt,
    fencingToken: row.fencing_token,
    leaseExpiresAt: row.lease_expires_at,
  };
}

function presentRow(row: MachineRequest): RequestRow {
  const { id, name, clusterId, requestSetId, leaseHolder, fencingToken, attempt, machineId } = row;
  return {
    id,
    name,
    clusterId,
    requestSetId,
    phase: row.phase as RequestPhase,
    leaseHolder,
    fencingToken,
    attempt,
    step: row.step as ProgressStep | null,
    machineRef: row.providerMachineRef,
    machineId,
  };
}
