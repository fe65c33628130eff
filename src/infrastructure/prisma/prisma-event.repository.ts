import { EventRepository, type EventRow } from '../../modules/events/event.repository';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { cutPage, type Page, type PageRequest } from '../../platform/http/paging';
import { clientOf } from './prisma-tenant-unit-of-work';

type Stored = Omit<EventRow, 'clusterName'> & { readonly clusterId: string | null };

export class PrismaEventRepository extends EventRepository {
  async list(
    tx: TenantTx,
    { cluster }: { readonly cluster?: string | undefined },
    { size, after }: PageRequest,
  ): Promise<Page<EventRow>> {
    const ids = cluster === undefined ? undefined : await this.idsOf(tx, cluster);
    const rows = await clientOf(tx).event.findMany({
      where: ids === undefined ? {} : { clusterId: { in: ids } },
      orderBy: [{ lastAt: 'desc' }, { id: 'desc' }],
      take: size + 1,
      ...(after?.[0] === undefined ? {} : { cursor: { id: after[0] }, skip: 1 }),
    });
    return cutPage(await this.named(tx, rows), size, (row) => [row.id]);
  }

  async findById(tx: TenantTx, id: string): Promise<EventRow | undefined> {
    const row = await clientOf(tx).event.findUnique({ where: { id } });
    return row === null ? undefined : (await this.named(tx, [row]))[0];
  }

  /** A deleted cluster lives on in its operations, so its events can still be asked for by name. */
  private async idsOf(tx: TenantTx, name: string): Promise<string[]> {
    const rows = await clientOf(tx).operation.findMany({
      where: { clusterName: name, clusterId: { not: null } },
      distinct: ['clusterId'],
      select: { clusterId: true },
    });
    return rows.flatMap((row) => row.clusterId ?? []);
  }

  private async named(tx: TenantTx, rows: readonly Stored[]): Promise<EventRow[]> {
    const ids = [...new Set(rows.flatMap((row) => row.clusterId ?? []))];
    const operations = await clientOf(tx).operation.findMany({
      where: { clusterId: { in: ids } },
      distinct: ['clusterId'],
      select: { clusterId: true, clusterName: true },
    });
    const names = new Map(operations.map((row) => [row.clusterId, row.clusterName]));
    return rows.map((row) => ({
      ...row,
      clusterName: row.clusterId === null ? null : (names.get(row.clusterId) ?? null),
    }));
  }
}
