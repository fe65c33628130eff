import {
  OperationRepository,
  type NewOperation,
  type OperationFilter,
  type OperationRow,
} from '../../modules/operations/operation.repository';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { cutPage, type Page, type PageRequest } from '../../platform/http/paging';
import { newId } from '../../platform/ids';
import { clientOf } from './prisma-tenant-unit-of-work';

const UNFINISHED = { in: ['Pending', 'Running'] };

export class PrismaOperationRepository extends OperationRepository {
  async list(
    tx: TenantTx,
    filter: OperationFilter,
    { size, after }: PageRequest,
  ): Promise<Page<OperationRow>> {
    const { cluster, state } = filter;
    const rows = await clientOf(tx).operation.findMany({
      where: {
        ...(cluster === undefined ? {} : { clusterName: cluster }),
        ...(state === undefined ? {} : { state }),
      },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: size + 1,
      ...(after?.[0] === undefined ? {} : { cursor: { id: after[0] }, skip: 1 }),
    });
    return cutPage(rows as unknown as OperationRow[], size, (row) => [row.id]);
  }

  async find(tx: TenantTx, id: string): Promise<OperationRow | undefined> {
    return (
      ((await clientOf(tx).operation.findUnique({ where: { id } })) as unknown as OperationRow | null) ??
      undefined
    );
  }

  async create(tx: TenantTx, operation: NewOperation, now: Date): Promise<OperationRow> {
    const finishedAt = operation.state === 'Succeeded' ? now : null;
    const row = await clientOf(tx).operation.create({
      data: { ...operation, id: newId(), tenantId: tx.tenantId, createdAt: now, updatedAt: now, finishedAt },
    });
    return row as unknown as OperationRow;
  }

  async findUnfinished(tx: TenantTx, clusterId: string): Promise<OperationRow | undefined> {
    const row = await clientOf(tx).operation.findFirst({
      where: { clusterId, state: UNFINISHED },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    });
    return (row as unknown as OperationRow | null) ?? undefined;
  }

  async supersede(tx: TenantTx, clusterId: string, message: string, now: Date): Promise<readonly string[]> {
    const rows = await clientOf(tx).operation.updateManyAndReturn({
      where: { clusterId, state: UNFINISHED },
      data: { state: 'Superseded', message, finishedAt: now, updatedAt: now, version: { increment: 1 } },
      select: { id: true },
    });
    return rows.map((row) => row.id);
  }
}
