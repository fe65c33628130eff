/** The status of a cluster, as one transaction: the cluster's row, its machines as the tenant sees them, its operations. */
import type { Prisma } from '../../generated/prisma/client';
import type { MachineProjection } from '../../domain/planner/cluster-plan';
import type { ClusterRow } from '../../reconcile/cluster/cluster-rows';
import type { Happening, StatusWrite } from '../../reconcile/cluster/cluster-store';
import { newId } from '../../platform/ids';

type Tx = Prisma.TransactionClient;
type Change = 'created' | 'updated' | 'deleted';

/** Changes by the reconciler itself hint nobody: it looks again by its own plan. */
async function tell(tx: Tx, tenantId: string, kind: string, objectId: string, change: Change): Promise<void> {
  await tx.outbox.create({ data: { tenantId, kind, objectId, change } });
}

export async function writeClusterStatus(tx: Tx, cluster: ClusterRow, status: StatusWrite): Promise<void> {
  const { tenantId, id } = cluster;
  const { state, observedGeneration } = status;
  await tx.cluster.update({
    where: { id },
    data: {
      state,
      observedGeneration,
      conditions: status.conditions as unknown as Prisma.InputJsonValue,
      explain: status.explain as unknown as Prisma.InputJsonValue,
      updatedAt: new Date(),
      version: { increment: 1 },
    },
  });
  await tell(tx, tenantId, 'Cluster', id, 'updated');
  for (const machine of status.machines.put) {
    await putProjection(tx, cluster, machine);
  }
  for (const machineId of status.machines.remove) {
    await tx.clusterMachine.deleteMany({ where: { tenantId, id: machineId } });
    await tell(tx, tenantId, 'ClusterMachine', machineId, 'deleted');
  }
  for (const operation of status.operations) {
    await putOperation(tx, tenantId, operation);
  }
  for (const happening of status.happenings) {
    await putHappening(tx, cluster, happening);
  }
}

async function putProjection(tx: Tx, cluster: ClusterRow, machine: MachineProjection): Promise<void> {
  const { id, talosVersion, ...rest } = machine;
  const data = { ...rest, talosVersion: talosVersion ?? null, updatedAt: new Date() };
  const { tenantId } = cluster;
  const where = { tenantId_id: { tenantId, id } };
  const existing = await tx.clusterMachine.findUnique({ where, select: { id: true } });
  await tx.clusterMachine.upsert({
    where,
    create: { id, tenantId, clusterId: cluster.id, ...data },
    update: { ...data, version: { increment: 1 } },
  });
  await tell(tx, tenantId, 'ClusterMachine', id, existing === null ? 'created' : 'updated');
}

const FINAL = ['Succeeded', 'Failed', 'Superseded'];

async function putOperation(
  tx: Tx,
  tenantId: string,
  operation: StatusWrite['operations'][number],
): Promise<void> {
  const { id, state, steps, message, error } = operation;
  const now = new Date();
  await tx.operation.update({
    where: { id },
    data: {
      state,
      message,
      steps: steps as unknown as Prisma.InputJsonValue,
      updatedAt: now,
      version: { increment: 1 },
      ...(error && { error }),
      ...(FINAL.includes(state) && { finishedAt: now }),
    },
  });
  await tell(tx, tenantId, 'Operation', id, 'updated');
}

/** Equal happenings of one cluster are one row with a count. */
export async function putHappening(
  tx: Tx,
  { tenantId, id: clusterId }: Pick<ClusterRow, 'tenantId' | 'id'>,
  { type, reason, message }: Happening,
): Promise<void> {
  const row = await tx.event.upsert({
    where: { tenantId_clusterId_type_reason_message: { tenantId, clusterId, type, reason, message } },
    create: { id: newId(), tenantId, clusterId, type, reason, message },
    update: { count: { increment: 1 }, lastAt: new Date() },
  });
  await tell(tx, tenantId, 'Event', row.id, row.count === 1 ? 'created' : 'updated');
}

/**
 * Everything of a cluster that is left: its delete operation succeeds in the same transaction, and events and audit rows
 * stay as history. Requests and machines must be gone already; the reconciler's own key goes last.
 */
export async function deleteClusterRows(tx: Tx, cluster: ClusterRow, key: string): Promise<void> {
  const { tenantId, id: clusterId } = cluster;
  const where = { clusterId };
  const operations = await tx.operation.findMany({
    where: { ...where, state: { in: ['Pending', 'Running'] } },
  });
  for (const { id, kind, steps } of operations) {
    const isDelete = kind === 'delete';
    const rungs = (steps as { name: string; state: string; startedAt?: string }[]).map((rung) =>
      finished(rung, isDelete),
    );
    const message = isDelete ? 'nothing of the cluster is left' : 'the cluster was deleted';
    await putOperation(tx, tenantId, {
      id,
      kind,
      generation: 0,
      state: isDelete ? 'Succeeded' : 'Superseded',
      steps: rungs as never,
      message,
    });
  }
  const projections = await tx.clusterMachine.findMany({ where, select: { id: true } });
  await tx.clusterMachine.deleteMany({ where });
  for (const { id } of projections) {
    await tell(tx, tenantId, 'ClusterMachine', id, 'deleted');
  }
  await tx.configPatch.deleteMany({ where });
  await tx.machineRequestSet.deleteMany({ where });
  await tx.machineSet.deleteMany({ where });
  await tx.stepJournal.deleteMany({ where });
  await tx.secret.deleteMany({ where });
  await tx.cluster.delete({ where: { id: clusterId } });
  await tell(tx, tenantId, 'Cluster', clusterId, 'deleted');
  await tx.reconcileKey.deleteMany({ where: { key } });
}

function finished(rung: { name: string; state: string; startedAt?: string }, isDelete: boolean): object {
  const now = new Date().toISOString();
  return isDelete ? { startedAt: now, finishedAt: now, ...rung, state: 'done', message: '' } : rung;
}
