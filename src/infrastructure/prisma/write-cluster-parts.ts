import type { MachineSetDraft } from '../../domain/cluster/list-machine-sets';
import type { TenantPatchDraft } from '../../domain/cluster/list-tenant-patches';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { newId } from '../../platform/ids';
import { clientOf } from './prisma-tenant-unit-of-work';

type SetIds = ReadonlyMap<string, string>;

/**
 * Sets keep their id by name, since requests and machines point to it. One that is no longer named asks for no machines;
 * the reconciler removes it when its last machine is gone.
 */
export async function writeMachineSets(
  tx: TenantTx,
  clusterId: string,
  sets: readonly MachineSetDraft[],
): Promise<SetIds> {
  const client = clientOf(tx);
  const retired = { clusterId, name: { notIn: sets.map((set) => set.name) } };
  await client.machineSet.updateMany({
    where: retired,
    data: { replicas: 0, source: {}, version: { increment: 1 } },
  });
  const ids = new Map<string, string>();
  for (const { name, role, sourceKind, source, replicas } of sets) {
    const fields = { role, sourceKind, source: source as object, replicas };
    const row = await client.machineSet.upsert({
      where: { tenantId_clusterId_name: { tenantId: tx.tenantId, clusterId, name } },
      create: { id: newId(), tenantId: tx.tenantId, clusterId, name, ...fields },
      update: { ...fields, version: { increment: 1 } },
      select: { id: true },
    });
    ids.set(name, row.id);
  }
  return ids;
}

/** Only patches of the tenant itself: those of providers and of the platform are not its to replace. */
export async function writeTenantPatches(
  tx: TenantTx,
  clusterId: string,
  setIds: SetIds,
  patches: readonly TenantPatchDraft[],
): Promise<void> {
  const client = clientOf(tx);
  await client.configPatch.deleteMany({ where: { clusterId, origin: 'tenant' } });
  await client.configPatch.createMany({
    data: patches.map(({ setName, machineId, name, weight, content }) => ({
      id: newId(),
      tenantId: tx.tenantId,
      clusterId,
      machineSetId: setName === undefined ? null : (setIds.get(setName) ?? null),
      machineId: machineId ?? null,
      name,
      weight,
      origin: 'tenant',
      content,
    })),
  });
}
