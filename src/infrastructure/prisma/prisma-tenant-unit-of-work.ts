import { DomainError } from '../../domain/shared/errors';
import type { Prisma } from '../../generated/prisma/client';
import { TenantUnitOfWork, type TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { AppPrisma } from './prisma-clients';
import { isBusy } from './prisma-errors';

const clients = new WeakMap<TenantTx, Prisma.TransactionClient>();

/** The Prisma client behind a TenantTx; for repositories of this folder only. */
export function clientOf(tx: TenantTx): Prisma.TransactionClient {
  const client = clients.get(tx);
  if (client === undefined) {
    throw new Error('this TenantTx was not made by the unit of work');
  }
  return client;
}

export class PrismaTenantUnitOfWork extends TenantUnitOfWork {
  constructor(private readonly prisma: AppPrisma) {
    super();
  }

  async run<T>(tenantId: string, work: (tx: TenantTx) => Promise<T>): Promise<T> {
    try {
      return await this.transaction(tenantId, work);
    } catch (error) {
      throw isBusy(error) ? busy(error) : error;
    }
  }

  private transaction<T>(tenantId: string, work: (tx: TenantTx) => Promise<T>): Promise<T> {
    return this.prisma.$transaction(async (client) => {
      // true = until the end of this transaction, on its own connection
      await client.$executeRaw`SELECT set_config('app.tenant_id', ${tenantId}, true)`;
      const tx = { tenantId } as TenantTx;
      clients.set(tx, client);
      return work(tx);
    });
  }
}

const busy = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'UNAVAILABLE', 'the database is busy; repeat the request in a moment', {
    retryAfterMs: 1_000,
    cause,
  });
