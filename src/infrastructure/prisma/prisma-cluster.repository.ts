import type { ClusterSpec } from '../../domain/cluster/cluster-spec';
import {
  ClusterRepository,
  type ClusterMachineRow,
  type ClusterRow,
  type SpecWrite,
} from '../../modules/clusters/cluster.repository';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { cutPage, type Page, type PageRequest } from '../../platform/http/paging';
import { newId } from '../../platform/ids';
import { clientOf } from './prisma-tenant-unit-of-work';
import { writeMachineSets, writeTenantPatches } from './write-cluster-parts';

const rowOf = (row: unknown): ClusterRow | undefined => (row as ClusterRow | null) ?? undefined;
const json = (spec: ClusterSpec): object => spec;

export class PrismaClusterRepository extends ClusterRepository {
  async lock(tx: TenantTx, name: string): Promise<ClusterRow | undefined> {
    const client = clientOf(tx);
    // The advisory lock holds the name before there is a row; the row lock holds off the reconciler's end of a tear-down.
    await client.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('cluster:' || ${tx.tenantId} || ':' || ${name}, 0))`;
    await client.$queryRaw`SELECT id FROM clusters WHERE name = ${name} FOR UPDATE`;
    return this.find(tx, name);
  }

  async find(tx: TenantTx, name: string): Promise<ClusterRow | undefined> {
    return rowOf(await clientOf(tx).cluster.findFirst({ where: { name } }));
  }

  async findById(tx: TenantTx, id: string): Promise<ClusterRow | undefined> {
    return rowOf(await clientOf(tx).cluster.findUnique({ where: { id } }));
  }

  async list(tx: TenantTx, { size, after }: PageRequest): Promise<Page<ClusterRow>> {
    const rows = await clientOf(tx).cluster.findMany({
      where: after === undefined ? {} : { name: { gt: after[0] ?? '' } },
      orderBy: { name: 'asc' },
      take: size + 1,
    });
    return cutPage(rows as unknown as ClusterRow[], size, (row) => [row.name]);
  }

  async create(tx: TenantTx, write: SpecWrite & { readonly endpointHost: string }): Promise<ClusterRow> {
    const { spec, templateText, endpointHost } = write;
    const managed = spec.controlPlane.source.kind === 'managed';
    const data = {
      id: newId(),
      tenantId: tx.tenantId,
      name: spec.name,
      spec: json(spec),
      templateText,
      managed,
      endpointHost,
    };
    const row = await clientOf(tx).cluster.create({ data });
    await this.writeParts(tx, row.id, write);
    return row as unknown as ClusterRow;
  }

  async update(tx: TenantTx, id: string, write: SpecWrite): Promise<ClusterRow> {
    const row = await clientOf(tx).cluster.update({
      where: { id },
      data: {
        spec: json(write.spec),
        templateText: write.templateText,
        generation: { increment: 1 },
        version: { increment: 1 },
        updatedAt: new Date(),
      },
    });
    await this.writeParts(tx, id, write);
    return row as unknown as ClusterRow;
  }

  async updateText(tx: TenantTx, id: string, templateText: string): Promise<void> {
    await clientOf(tx).cluster.update({ where: { id }, data: { templateText } });
  }

  async requestDelete(tx: TenantTx, id: string, at: Date): Promise<ClusterRow> {
    const data = { deleteRequestedAt: at, updatedAt: at, version: { increment: 1 } };
    return (await clientOf(tx).cluster.update({ where: { id }, data })) as unknown as ClusterRow;
  }

  async listMachines(
    tx: TenantTx,
    clusterId: string,
    { size, after }: PageRequest,
  ): Promise<Page<ClusterMachineRow>> {
    const rows = await clientOf(tx).clusterMachine.findMany({
      where: { clusterId, ...(after === undefined ? {} : { name: { gt: after[0] ?? '' } }) },
      orderBy: { name: 'asc' },
      take: size + 1,
    });
    return cutPage(rows, size, (row) => [row.name]);
  }

  async findMachine(tx: TenantTx, id: string): Promise<ClusterMachineRow | undefined> {
    return (await clientOf(tx).clusterMachine.findFirst({ where: { id } })) ?? undefined;
  }

  async knownClasses(tx: TenantTx, names: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await clientOf(tx).machineClass.findMany({
      where: { name: { in: [...names] } },
      select: { name: true },
    });
    return new Set(rows.map((row) => row.name));
  }

  async occupiedSets(tx: TenantTx, clusterId: string): Promise<readonly string[]> {
    const rows = await clientOf(tx).clusterMachine.findMany({
      where: { clusterId },
      distinct: ['setName'],
      select: { setName: true },
    });
    return rows.map((row) => row.setName);
  }

  private async writeParts(tx: TenantTx, clusterId: string, { sets, patches }: SpecWrite): Promise<void> {
    const setIds = await writeMachineSets(tx, clusterId, sets);
    await writeTenantPatches(tx, clusterId, setIds, patches);
  }
}
