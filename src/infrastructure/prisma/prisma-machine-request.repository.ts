import type { Prisma } from '../../generated/prisma/client';
import { chooseAction } from '../../domain/provider/choose-action';
import { nextPhase } from '../../domain/provider/request-phases';
import type { RequestPhase } from '../../domain/planner/cluster-snapshot';
import type { MachineShape } from '../../domain/tiers/size-tiers';
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
import { clientOf } from './prisma-tenant-unit-of-work';

/** Image Factory id of the schematic without extensions and arguments. */
const PLAIN_SCHEMATIC = '376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba';

const RELEASED = { leaseHolder: null, leaseExpiresAt: null } as const;
const bump = { version: { increment: 1 } } as const;

export class PrismaMachineRequestRepository extends MachineRequestRepository {
  async listClaimable(tx: TenantTx, providerId: string, limit: number): Promise<readonly PendingWork[]> {
    const now = new Date();
    // A superset by index; the rule itself is the domain's.
    const rows = await clientOf(tx).machineRequest.findMany({
      where: {
        providerId,
        phase: { not: 'Deprovisioned' },
        AND: [
          { OR: [{ leaseExpiresAt: null }, { leaseExpiresAt: { lte: now } }] },
          {
            OR: [
              { phase: { in: ['Pending', 'Claimed', 'Provisioning', 'Failed'] } },
              { gateOpenedAt: { not: null } },
            ],
          },
        ],
      },
      orderBy: { id: 'asc' },
      take: limit * 4,
    });
    return rows
      .flatMap((row) => {
        const action = chooseAction({ ...row, phase: row.phase as RequestPhase }, now);
        return action === undefined ? [] : [{ requestId: row.id, action }];
      })
      .slice(0, limit);
  }

  async claim(
    tx: TenantTx,
    providerId: string,
    requestId: string,
    agentId: string,
    leaseMs: number,
  ): Promise<ClaimedRequest | undefined> {
    const client = clientOf(tx);
    // The row lock makes one of several claims the first; the others then see its lease.
    await client.$queryRaw`SELECT id FROM machine_requests WHERE id = ${requestId}::uuid AND provider_id = ${providerId}::uuid FOR UPDATE`;
    const row = await client.machineRequest.findFirst({ where: { id: requestId, providerId } });
    const now = new Date();
    const from = row?.phase as RequestPhase;
    const action = row === null ? undefined : chooseAction({ ...row, phase: from }, now);
    const phase = action === undefined ? undefined : nextPhase(from, action, 'claim');
    if (row === null || action === undefined || phase === undefined) {
      return undefined;
    }
    const isFirstOfAction = action === 'deprovision' && from !== 'Deprovisioning';
    const attempt = isFirstOfAction ? 1 : row.attempt + 1;
    const leaseExpiresAt = new Date(now.getTime() + leaseMs);
    const data = {
      phase,
      attempt,
      leaseHolder: agentId,
      leaseExpiresAt,
      nextAttemptAt: null,
      fencingToken: row.fencingToken + 1n,
      updatedAt: now,
      ...bump,
    };
    await client.machineRequest.update({ where: { id: requestId }, data });
    const spec = row.spec as unknown as { shape: MachineShape; talosVersion: string; schematicId?: string };
    return {
      requestId,
      action,
      name: row.name,
      clusterId: row.clusterId,
      phase,
      shape: spec.shape,
      talosVersion: spec.talosVersion,
      schematicId: spec.schematicId ?? PLAIN_SCHEMATIC,
      machineRef: row.providerMachineRef,
      attempt,
      fencingToken: data.fencingToken,
      leaseExpiresAt,
    };
  }

  async renewLease(tx: TenantTx, held: HeldRequest, leaseMs: number): Promise<Date | undefined> {
    const now = new Date();
    const leaseExpiresAt = new Date(now.getTime() + leaseMs);
    const { count } = await clientOf(tx).machineRequest.updateMany({
      where: { ...holding(held), leaseExpiresAt: { gt: now } },
      data: { leaseExpiresAt },
    });
    return count > 0 ? leaseExpiresAt : undefined;
  }

  async find(tx: TenantTx, providerId: string, requestId: string): Promise<RequestRow | undefined> {
    const row = await clientOf(tx).machineRequest.findFirst({ where: { id: requestId, providerId } });
    if (row === null) {
      return undefined;
    }
    const {
      id,
      name,
      clusterId,
      requestSetId,
      attempt,
      leaseHolder,
      fencingToken,
      providerMachineRef,
      machineId,
    } = row;
    const step = row.step as unknown as ProgressStep | null;
    return {
      id,
      name,
      clusterId,
      requestSetId,
      attempt,
      leaseHolder,
      fencingToken,
      machineId,
      step,
      phase: row.phase as RequestPhase,
      machineRef: providerMachineRef,
    };
  }

  async isRefTaken(
    tx: TenantTx,
    { providerId, requestId }: HeldRequest,
    providerMachineRef: string,
  ): Promise<boolean> {
    return (
      (await clientOf(tx).machineRequest.count({
        where: { providerId, providerMachineRef, id: { not: requestId } },
      })) > 0
    );
  }

  recordProgress(
    tx: TenantTx,
    held: HeldRequest,
    phase: RequestPhase,
    step: ProgressStep,
    machineRef: string | null,
  ): Promise<boolean> {
    const ref = machineRef === null ? {} : { providerMachineRef: machineRef };
    return write(tx, held, { phase, step: step as unknown as Prisma.InputJsonValue, ...ref });
  }

  recordProvisioned(
    tx: TenantTx,
    held: HeldRequest,
    machine: { readonly ref: string; readonly machineId: string },
  ): Promise<boolean> {
    return write(tx, held, {
      phase: 'Provisioned',
      providerMachineRef: machine.ref,
      machineId: machine.machineId,
      ...RELEASED,
    });
  }

  recordFailure(
    tx: TenantTx,
    held: HeldRequest,
    phase: RequestPhase,
    failure: RequestFailure,
    retryInMs: number | undefined,
  ): Promise<boolean> {
    const nextAttemptAt = retryInMs === undefined ? null : new Date(Date.now() + retryInMs);
    return write(tx, held, {
      phase,
      lastError: { ...failure, at: new Date().toISOString() },
      nextAttemptAt,
      ...RELEASED,
    });
  }

  recordDeprovisioned(tx: TenantTx, held: HeldRequest): Promise<boolean> {
    return write(tx, held, { phase: 'Deprovisioned', ...RELEASED });
  }
}

const holding = ({
  providerId,
  requestId,
  agentId,
  fencingToken,
}: HeldRequest): Prisma.MachineRequestWhereInput => ({
  id: requestId,
  providerId,
  leaseHolder: agentId,
  fencingToken,
});

async function write(
  tx: TenantTx,
  held: HeldRequest,
  data: Prisma.MachineRequestUpdateManyMutationInput,
): Promise<boolean> {
  const { count } = await clientOf(tx).machineRequest.updateMany({
    where: holding(held),
    data: { ...data, updatedAt: new Date(), ...bump },
  });
  return count > 0;
}
