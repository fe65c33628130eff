import type { OutboxKind } from '../../modules/tenancy/outbox';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { ChangeFeed, type PublishedChange } from '../../modules/watch/change-feed';
import { clientOf } from './prisma-tenant-unit-of-work';

export class PrismaChangeFeed extends ChangeFeed {
  async prunedTo(tx: TenantTx): Promise<bigint> {
    const [row] = await clientOf(tx).$queryRaw<
      { last_value: bigint; is_called: boolean }[]
    >`SELECT last_value, is_called FROM outbox_pruned_seq`;
    return row?.is_called === true ? row.last_value : 0n;
  }

  async newest(tx: TenantTx): Promise<bigint> {
    const last = await clientOf(tx).outbox.aggregate({ _max: { seq: true } });
    return last._max.seq ?? 0n;
  }

  async after(
    tx: TenantTx,
    seq: bigint,
    kinds: readonly OutboxKind[],
    limit: number,
  ): Promise<readonly PublishedChange[]> {
    const rows = await clientOf(tx).outbox.findMany({
      where: { seq: { gt: seq }, kind: { in: [...kinds] } },
      orderBy: { seq: 'asc' },
      take: limit,
      select: { seq: true, kind: true, objectId: true, change: true },
    });
    return rows as PublishedChange[];
  }
}
