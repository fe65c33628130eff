import type { Prisma } from '../../generated/prisma/client';
import { machineHostname } from '../../domain/cluster/machine-hostname';
import type { GateReason } from '../../domain/planner/cluster-step';
import type { ConfigRejection, MachineSetView } from '../../domain/planner/cluster-snapshot';
import { newId } from '../../platform/ids';
import type { ClusterRow, ClusterRows } from '../../reconcile/cluster/cluster-rows';
import {
  ClusterStore,
  type Happening,
  type SeenFacts,
  type StatusWrite,
} from '../../reconcile/cluster/cluster-store';
import type { FencedWrites } from '../../reconcile/runtime/fenced-writes';
import type { Lease } from '../../reconcile/runtime/lease';
import { readCluster } from './cluster-store-read';
import { deleteClusterRows, putHappening, writeClusterStatus } from './cluster-store-write';
import type { SystemPrisma } from './prisma-clients';
import { systemClientOf } from './reconcile-fenced-writes';

type Tx = Prisma.TransactionClient;

export class PrismaClusterStore extends ClusterStore {
  constructor(
    private readonly prisma: SystemPrisma,
    private readonly fenced: FencedWrites,
  ) {
    super();
  }

  load(clusterId: string): Promise<ClusterRows | undefined> {
    return this.prisma.$transaction((tx) => readCluster(tx, clusterId), { isolationLevel: 'RepeatableRead' });
  }

  private write(lease: Lease, work: (tx: Tx) => Promise<unknown>): Promise<void> {
    return this.fenced.run(lease, async (tx) => {
      await work(systemClientOf(tx));
    });
  }

  writeFacts(lease: Lease, seen: readonly SeenFacts[]): Promise<void> {
    return this.write(lease, async (tx) => {
      for (const { machineId, facts, at } of seen) {
        const data = { facts: facts as unknown as Prisma.InputJsonValue, factsAt: at };
        await tx.machine.updateMany({ where: { id: machineId, clusterId: lease.id }, data });
      }
    });
  }

  writeStatus(lease: Lease, cluster: ClusterRow, status: StatusWrite): Promise<void> {
    return this.write(lease, (tx) => writeClusterStatus(tx, cluster, status));
  }

  /** Lives with the provider's owner: the platform for managed sets, the tenant itself for its own classes. */
  createRequestSet(lease: Lease, cluster: ClusterRow, set: MachineSetView): Promise<void> {
    return this.write(lease, async (tx) => {
      const { supply } = set;
      const provider = supply && (await tx.provider.findUnique({ where: { id: supply.providerId } }));
      const exists = await tx.machineRequestSet.count({ where: { machineSetId: set.id } });
      if (!supply || !provider || exists > 0) {
        return;
      }
      await tx.machineRequestSet.create({
        data: {
          id: newId(),
          tenantId: provider.tenantId,
          clusterId: cluster.id,
          machineSetId: set.id,
          providerId: provider.id,
          name: set.name,
          replicas: set.replicas,
          shape: supply.shape as unknown as Prisma.InputJsonValue,
        },
      });
      await addRequests(tx, cluster, set);
    });
  }

  resizeRequestSet(lease: Lease, requestSetId: string, replicas: number): Promise<void> {
    return this.write(lease, (tx) =>
      tx.machineRequestSet.update({
        where: { id: requestSetId },
        data: { replicas, version: { increment: 1 } },
      }),
    );
  }

  createRequests(lease: Lease, cluster: ClusterRow, set: MachineSetView): Promise<void> {
    return this.write(lease, (tx) => addRequests(tx, cluster, set));
  }

  allocateMachine(
    lease: Lease,
    cluster: ClusterRow,
    machineId: string,
    machineSetId: string,
    hostname: string,
  ): Promise<void> {
    return this.write(lease, (tx) =>
      tx.machine.updateMany({
        where: { id: machineId, tenantId: cluster.tenantId, clusterId: null, requestId: null, goneAt: null },
        data: { clusterId: cluster.id, machineSetId, hostname, version: { increment: 1 } },
      }),
    );
  }

  recordConfig(lease: Lease, machineId: string, configHash: string, configAppliedAt: Date): Promise<void> {
    return this.write(lease, (tx) =>
      tx.machine.updateMany({
        where: { id: machineId, clusterId: lease.id },
        data: { configHash, configAppliedAt },
      }),
    );
  }

  pinBootstrap(
    lease: Lease,
    clusterId: string,
    bootstrapMachineId: string,
    insteadOf: string | null,
    at: Date,
  ): Promise<void> {
    return this.write(lease, (tx) =>
      tx.cluster.updateMany({
        where: { id: clusterId, bootstrapMachineId: insteadOf, bootstrappedAt: null },
        data: { bootstrapMachineId, bootstrapPinnedAt: at, bootstrapSentAt: null },
      }),
    );
  }

  recordBootstrapSent(lease: Lease, clusterId: string, bootstrapSentAt: Date | null): Promise<void> {
    return this.write(lease, (tx) =>
      tx.cluster.update({ where: { id: clusterId }, data: { bootstrapSentAt } }),
    );
  }

  recordBootstrapped(lease: Lease, clusterId: string, bootstrappedAt: Date): Promise<void> {
    return this.write(lease, (tx) =>
      tx.cluster.updateMany({ where: { id: clusterId, bootstrappedAt: null }, data: { bootstrappedAt } }),
    );
  }

  requestDeprovision(lease: Lease, requestId: string, at: Date): Promise<void> {
    return this.write(lease, (tx) =>
      tx.machineRequest.updateMany({
        where: { id: requestId, deprovisionRequestedAt: null },
        data: { deprovisionRequestedAt: at, version: { increment: 1 } },
      }),
    );
  }

  recordConfigRejection(
    lease: Lease,
    machineId: string,
    { hash, message, at }: ConfigRejection,
  ): Promise<void> {
    const configRejection = { hash, message, at: at.toISOString() };
    return this.write(lease, (tx) =>
      tx.machine.updateMany({ where: { id: machineId, clusterId: lease.id }, data: { configRejection } }),
    );
  }

  recordReset(lease: Lease, machineId: string, resetSentAt: Date): Promise<void> {
    return this.write(lease, (tx) =>
      tx.machine.updateMany({ where: { id: machineId, clusterId: lease.id }, data: { resetSentAt } }),
    );
  }

  openGate(lease: Lease, requestId: string, gateReason: GateReason, gateOpenedAt: Date): Promise<void> {
    return this.write(lease, (tx) =>
      tx.machineRequest.updateMany({
        where: { id: requestId, gateOpenedAt: null },
        data: { gateOpenedAt, gateReason, version: { increment: 1 } },
      }),
    );
  }

  forgetRequest(lease: Lease, requestId: string): Promise<void> {
    return this.write(lease, async (tx) => {
      // Claimed in this very moment: an agent may be making a machine, so the row has to stay.
      const forgotten = await tx.machineRequest.deleteMany({
        where: { id: requestId, OR: [{ phase: 'Deprovisioned' }, { fencingToken: 0n }] },
      });
      if (forgotten.count > 0) {
        await tx.machine.deleteMany({ where: { requestId } });
      }
    });
  }

  releaseMachine(lease: Lease, machineId: string): Promise<void> {
    const free = {
      clusterId: null,
      machineSetId: null,
      hostname: null,
      configHash: null,
      configAppliedAt: null,
      resetSentAt: null,
      factsAt: null,
    };
    return this.write(lease, (tx) =>
      tx.machine.updateMany({
        where: { id: machineId, clusterId: lease.id },
        data: { ...free, facts: {}, version: { increment: 1 } },
      }),
    );
  }

  forgetMachineSet(lease: Lease, machineSetId: string): Promise<void> {
    return this.write(lease, async (tx) => {
      // Named again meanwhile: it is not ours to remove.
      const { count } = await tx.machineSet.deleteMany({ where: { id: machineSetId, replicas: 0 } });
      if (count > 0) {
        await tx.machineRequestSet.deleteMany({ where: { machineSetId } });
        await tx.configPatch.deleteMany({ where: { machineSetId } });
      }
    });
  }

  deleteCluster(lease: Lease, cluster: ClusterRow): Promise<void> {
    return this.write(lease, (tx) => deleteClusterRows(tx, cluster, lease.key));
  }

  recordHappening(lease: Lease, cluster: ClusterRow, happening: Happening): Promise<void> {
    return this.write(lease, (tx) => putHappening(tx, cluster, happening));
  }
}

/** It becomes the machine's hostname and the provider's tag. */
function requestName(cluster: ClusterRow, set: MachineSetView, id: string): string {
  return machineHostname([cluster.name, set.role === 'control-plane' ? 'cp' : set.name], id);
}

/** As many as are missing to the set's replicas. */
async function addRequests(tx: Tx, cluster: ClusterRow, set: MachineSetView): Promise<void> {
  const requestSet = await tx.machineRequestSet.findUnique({ where: { machineSetId: set.id } });
  if (requestSet === null) {
    return;
  }
  const { id: requestSetId, tenantId, providerId, shape } = requestSet;
  const alive = await tx.machineRequest.count({ where: { requestSetId, deprovisionRequestedAt: null } });
  for (let i = alive; i < set.replicas; i++) {
    const id = newId();
    const spec = { shape, talosVersion: cluster.spec.talosVersion } as Prisma.InputJsonValue;
    await tx.machineRequest.create({
      data: {
        id,
        tenantId,
        clusterId: cluster.id,
        requestSetId,
        providerId,
        name: requestName(cluster, set, id),
        spec,
      },
    });
  }
}
