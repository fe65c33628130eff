import { MachineRepository, type MachineRow } from '../../modules/machines/machine.repository';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { cutPage, type Page, type PageRequest } from '../../platform/http/paging';
import type { Machine } from '../../generated/prisma/client';
import { clientOf } from './prisma-tenant-unit-of-work';

interface Facts {
  readonly contact?: string;
  readonly stage?: string;
  readonly talosVersion?: string;
}

export class PrismaMachineRepository extends MachineRepository {
  async list(tx: TenantTx, { size, after }: PageRequest): Promise<Page<MachineRow>> {
    const rows = await clientOf(tx).machine.findMany({
      where: after === undefined ? {} : { id: { gt: after[0] ?? '' } },
      orderBy: { id: 'asc' },
      take: size + 1,
    });
    return cutPage(await this.named(tx, rows), size, (row) => [row.id]);
  }

  async findById(tx: TenantTx, id: string): Promise<MachineRow | undefined> {
    const row = await clientOf(tx).machine.findFirst({ where: { id } });
    return row === null ? undefined : (await this.named(tx, [row]))[0];
  }

  private async named(tx: TenantTx, rows: readonly Machine[]): Promise<MachineRow[]> {
    const client = clientOf(tx);
    const clusterIds = [...new Set(rows.flatMap((row) => row.clusterId ?? []))];
    const providerIds = [...new Set(rows.map((row) => row.providerId))];
    const select = { id: true, name: true };
    const clusters = await client.cluster.findMany({ where: { id: { in: clusterIds } }, select });
    const providers = await client.provider.findMany({ where: { id: { in: providerIds } }, select });
    const names = new Map([...clusters, ...providers].map((row) => [row.id, row.name]));
    return rows.map((row) => presentRow(row, names));
  }
}

function presentRow(row: Machine, names: ReadonlyMap<string, string>): MachineRow {
  const facts = row.facts as Facts;
  const { id, hostname, firstSeenAt, lastSeenAt, goneAt } = row;
  return {
    id,
    providerName: names.get(row.providerId) ?? '',
    clusterName: row.clusterId === null ? null : (names.get(row.clusterId) ?? null),
    hostname,
    contact: facts.contact ?? 'unknown',
    stage: facts.stage ?? null,
    talosVersion: facts.talosVersion ?? null,
    firstSeenAt,
    lastSeenAt,
    goneAt,
  };
}
