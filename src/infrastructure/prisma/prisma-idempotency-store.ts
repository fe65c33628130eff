import {
  IdempotencyStore,
  type IdempotencyClaim,
  type IdempotencyScope,
} from '../../modules/idempotency/idempotency-store';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { clientOf } from './prisma-tenant-unit-of-work';

const KEPT_MS = 24 * 3_600_000;
/** A claim without an answer for this long was left by a process that died. */
const ABANDONED_MS = 60_000;

export class PrismaIdempotencyStore extends IdempotencyStore {
  async claim(
    tx: TenantTx,
    scope: IdempotencyScope,
    requestHash: Uint8Array<ArrayBuffer>,
    now: Date,
  ): Promise<IdempotencyClaim> {
    const client = clientOf(tx);
    const before = (ms: number): Date => new Date(now.getTime() - ms);
    await client.idempotencyKey.deleteMany({
      where: {
        OR: [
          { createdAt: { lt: before(KEPT_MS) } },
          { ...scope, status: null, createdAt: { lt: before(ABANDONED_MS) } },
        ],
      },
    });
    const row = { tenantId: tx.tenantId, ...scope, requestHash, createdAt: now };
    const { count } = await client.idempotencyKey.createMany({ data: [row], skipDuplicates: true });
    if (count === 1) {
      return { kind: 'first' };
    }
    const found = await client.idempotencyKey.findFirst({ where: { ...scope } });
    if (found === null) {
      return { kind: 'running' };
    }
    if (!Buffer.from(found.requestHash).equals(requestHash)) {
      return { kind: 'mismatch' };
    }
    return found.status === null
      ? { kind: 'running' }
      : { kind: 'done', status: found.status, response: found.response };
  }

  async complete(tx: TenantTx, scope: IdempotencyScope, status: number, response: unknown): Promise<void> {
    await clientOf(tx).idempotencyKey.updateMany({
      where: { ...scope },
      data: { status, response: response as object },
    });
  }

  async release(tx: TenantTx, scope: IdempotencyScope): Promise<void> {
    await clientOf(tx).idempotencyKey.deleteMany({ where: { ...scope, status: null } });
  }
}
