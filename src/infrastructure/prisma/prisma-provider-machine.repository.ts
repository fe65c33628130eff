import { PROVIDER_PATCH_WEIGHT, type ProviderPatchText } from '../../domain/provider/check-provider-patches';
import type { InventoryItem, InventoryRow, InventoryVerdict } from '../../domain/provider/judge-inventory';
import type { KnownMachine, ReportedMachine } from '../../domain/provider/judge-machine-claim';
import type { PatchTarget } from '../../domain/patch/reserved-fields';
import {
  ProviderMachineRepository,
  type MachineOwner,
} from '../../modules/providers/provider-machine.repository';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { newId } from '../../platform/ids';
import { clientOf } from './prisma-tenant-unit-of-work';

const where = ({ addresses, talosEndpoint, kubernetesEndpoint }: InventoryItem) => ({
  addresses: [...addresses],
  talosEndpoint,
  kubernetesEndpoint,
});

export class PrismaProviderMachineRepository extends ProviderMachineRepository {
  async lockInventory(tx: TenantTx, providerId: string): Promise<void> {
    await clientOf(tx)
      .$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('inventory:' || ${providerId}, 0))`;
  }

  listForInventory(
    tx: TenantTx,
    providerId: string,
    items: readonly InventoryItem[],
  ): Promise<readonly InventoryRow[]> {
    const refs = items.map((item) => item.ref);
    const ids = items.map((item) => item.machineId);
    return clientOf(tx).$queryRaw<InventoryRow[]>`
      SELECT id::text AS "machineId", provider_machine_ref AS ref, addresses, talos_endpoint AS "talosEndpoint",
             kubernetes_endpoint AS "kubernetesEndpoint", last_seen_at AS "lastSeenAt",
             missing_since AS "missingSince", gone_at AS "goneAt"
      FROM machines WHERE provider_id = ${providerId}::uuid
        AND (gone_at IS NULL OR provider_machine_ref = ANY(${refs}::text[]) OR id = ANY(${ids}::uuid[]))`;
  }

  async findIdsElsewhere(
    tx: TenantTx,
    providerId: string,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const rows = await clientOf(tx).$queryRaw<{ id: string }[]>`
      SELECT id::text FROM machines WHERE provider_id <> ${providerId}::uuid AND id = ANY(${[...ids]}::uuid[])`;
    return new Set(rows.map((row) => row.id));
  }

  async recordInventory(
    tx: TenantTx,
    providerId: string,
    verdict: InventoryVerdict,
    now: Date,
  ): Promise<readonly string[]> {
    const { machine } = clientOf(tx);
    const among = (ids: readonly string[]) => ({ providerId, id: { in: [...ids] } });
    // Thousands at once: one parameter each, where the query builder would send one per value.
    await clientOf(tx).$executeRaw`
      UPDATE machines SET last_seen_at = ${now}, missing_since = NULL, gone_at = NULL
      WHERE provider_id = ${providerId}::uuid AND id = ANY(${[...verdict.seen]}::uuid[])`;
    await machine.updateMany({ where: among(verdict.missing), data: { missingSince: now } });
    await machine.updateMany({
      where: among(verdict.gone),
      data: { goneAt: now, version: { increment: 1 } },
    });
    await moveMachines(tx, providerId, verdict.moved);
    await insertAppeared(tx, providerId, verdict.appeared, now);
    const touched = [...verdict.gone, ...verdict.returned, ...verdict.moved.map((m) => m.machineId)];
    const rows = await machine.findMany({
      where: { ...among(touched), clusterId: { not: null } },
      distinct: ['clusterId'],
      select: { clusterId: true },
    });
    const waiting = await this.clustersThatName(
      tx,
      verdict.appeared.map((m) => m.machineId),
    );
    return [...new Set([...rows.flatMap((row) => row.clusterId ?? []), ...waiting])];
  }

  /** A template may name a machine before it is seen. */
  private async clustersThatName(tx: TenantTx, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) {
      return [];
    }
    const rows = await clientOf(tx).$queryRaw<{ cluster_id: string }[]>`
      SELECT DISTINCT cluster_id FROM machine_sets WHERE source_kind = 'machines' AND source -> 'machineIds' ?| ${[...ids]}::text[]`;
    return rows.map((row) => row.cluster_id);
  }

  async findKnown(
    tx: TenantTx,
    providerId: string,
    { ref, machineId }: ReportedMachine,
  ): Promise<readonly KnownMachine[]> {
    await waitForTurn(tx, `machine:${tx.tenantId}:${machineId}`, `machine:${providerId}:${ref}`);
    const rows = await clientOf(tx).machine.findMany({
      where: { OR: [{ providerId, providerMachineRef: ref }, { id: machineId }] },
    });
    return rows.map(knownOf);
  }

  async findByRef(tx: TenantTx, providerId: string, ref: string): Promise<readonly KnownMachine[]> {
    await waitForTurn(tx, `machine:${providerId}:${ref}`);
    const rows = await clientOf(tx).machine.findMany({ where: { providerId, providerMachineRef: ref } });
    return rows.map(knownOf);
  }

  async putForRequest(tx: TenantTx, owner: MachineOwner, item: InventoryItem, now: Date): Promise<void> {
    const client = clientOf(tx);
    const { tenantId } = tx;
    const { providerId, requestId, clusterId, requestSetId } = owner;
    const set = await client.machineRequestSet.findUniqueOrThrow({
      where: { id: requestSetId },
      select: { machineSetId: true },
    });
    const request = await client.machineRequest.findUniqueOrThrow({
      where: { id: requestId },
      select: { name: true },
    });
    const data = {
      ...where(item),
      requestId,
      clusterId,
      machineSetId: set.machineSetId,
      hostname: request.name,
      lastSeenAt: now,
      missingSince: null,
      goneAt: null,
    };
    await client.machine.upsert({
      where: { tenantId_id: { tenantId, id: item.machineId } },
      create: { ...data, id: item.machineId, tenantId, providerId, providerMachineRef: item.ref },
      update: { ...data, version: { increment: 1 } },
    });
  }

  async markGone(tx: TenantTx, requestId: string, now: Date): Promise<void> {
    await clientOf(tx).machine.updateMany({
      where: { requestId, goneAt: null },
      data: { goneAt: now, version: { increment: 1 } },
    });
  }

  /**
   * The machine set belongs to the cluster's tenant, which for a hidden provider is another one: what this transaction
   * cannot see is a managed control plane, since the platform makes nothing else.
   */
  async patchTarget(tx: TenantTx, { requestSetId }: MachineOwner): Promise<PatchTarget> {
    const client = clientOf(tx);
    const requestSet = await client.machineRequestSet.findUnique({
      where: { id: requestSetId },
      select: { machineSetId: true },
    });
    const set =
      requestSet === null
        ? null
        : await client.machineSet.findUnique({ where: { id: requestSet.machineSetId } });
    if (set === null) {
      return { role: 'control-plane', managed: true };
    }
    const cluster = await client.cluster.findUnique({
      where: { id: set.clusterId },
      select: { managed: true },
    });
    return { role: set.role as PatchTarget['role'], managed: cluster?.managed ?? true };
  }

  async replacePatches(
    tx: TenantTx,
    clusterId: string,
    machineId: string,
    patches: readonly ProviderPatchText[],
  ): Promise<void> {
    const { configPatch } = clientOf(tx);
    await configPatch.deleteMany({ where: { clusterId, machineId, origin: 'provider' } });
    await configPatch.createMany({
      data: patches.map(({ name, content }) => ({
        id: newId(),
        tenantId: tx.tenantId,
        clusterId,
        machineId,
        name,
        content,
        weight: PROVIDER_PATCH_WEIGHT,
        origin: 'provider',
      })),
    });
  }
}

/** One that is there already stays as it is: a report of this very moment may have been first. */
const knownOf = (row: {
  id: string;
  providerId: string;
  providerMachineRef: string;
  requestId: string | null;
  clusterId: string | null;
}): KnownMachine => ({
  machineId: row.id,
  providerId: row.providerId,
  ref: row.providerMachineRef,
  requestId: row.requestId,
  clusterId: row.clusterId,
});

/** Of two reports that claim one machine at the same moment the second looks when the first is written. */
async function waitForTurn(tx: TenantTx, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await clientOf(tx).$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
  }
}

async function moveMachines(
  tx: TenantTx,
  providerId: string,
  items: readonly InventoryItem[],
): Promise<void> {
  if (items.length === 0) {
    return;
  }
  await clientOf(tx).$executeRaw`
    UPDATE machines m SET addresses = i.addresses, talos_endpoint = i."talosEndpoint",
      kubernetes_endpoint = i."kubernetesEndpoint", version = version + 1
    FROM jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
      AS i("machineId" uuid, addresses jsonb, "talosEndpoint" text, "kubernetesEndpoint" text)
    WHERE m.provider_id = ${providerId}::uuid AND m.id = i."machineId"`;
}

async function insertAppeared(
  tx: TenantTx,
  providerId: string,
  items: readonly InventoryItem[],
  now: Date,
): Promise<void> {
  if (items.length === 0) {
    return;
  }
  await clientOf(tx).$executeRaw`
    INSERT INTO machines (id, tenant_id, provider_id, provider_machine_ref, addresses, talos_endpoint,
                          kubernetes_endpoint, last_seen_at)
    SELECT i."machineId", ${tx.tenantId}::uuid, ${providerId}::uuid, i.ref, i.addresses, i."talosEndpoint",
           i."kubernetesEndpoint", ${now}
    FROM jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
      AS i("machineId" uuid, ref text, addresses jsonb, "talosEndpoint" text, "kubernetesEndpoint" text)
    ON CONFLICT DO NOTHING`;
}
