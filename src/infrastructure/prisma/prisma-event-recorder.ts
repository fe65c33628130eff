import type { Prisma } from '../../generated/prisma/client';
import { EventRecorder, type EventEntry } from '../../modules/events/event-recorder';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { newId } from '../../platform/ids';
import { SystemPrisma } from './prisma-clients';
import { clientOf } from './prisma-tenant-unit-of-work';

export class PrismaEventRecorder extends EventRecorder {
  constructor(private readonly prisma: SystemPrisma) {
    super();
  }

  async recordIn(tx: TenantTx, entry: EventEntry): Promise<void> {
    await upsert(clientOf(tx), entry);
  }

  async record(entry: EventEntry): Promise<void> {
    await this.prisma.$transaction((client) => upsert(client, entry));
  }
}

async function upsert(client: Prisma.TransactionClient, entry: EventEntry): Promise<void> {
  const { tenantId, clusterId, type, reason, message } = entry;
  const now = new Date();
  // NULL is distinct in the unique index, so events of no cluster are looked for first.
  const same = { tenantId, clusterId, type, reason, message };
  const [counted] = await client.event.updateManyAndReturn({
    where: same,
    data: { count: { increment: 1 }, lastAt: now },
    select: { id: true },
  });
  const id = counted?.id ?? newId();
  if (counted === undefined) {
    await client.event.createMany({
      data: [{ id, ...same, firstAt: now, lastAt: now }],
      skipDuplicates: true,
    });
  }
  const change = counted === undefined ? 'created' : 'updated';
  await client.outbox.create({ data: { tenantId, kind: 'Event', objectId: id, change } });
}
