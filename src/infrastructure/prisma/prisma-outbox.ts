import { Outbox, type OutboxEntry } from '../../modules/tenancy/outbox';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { clientOf } from './prisma-tenant-unit-of-work';

export class PrismaOutbox extends Outbox {
  async append(tx: TenantTx, entry: OutboxEntry): Promise<void> {
    const { kind, objectId, change, hintKey } = entry;
    await clientOf(tx).outbox.create({
      data: { tenantId: tx.tenantId, kind, objectId, change, hintKey: hintKey ?? null },
    });
  }
}
