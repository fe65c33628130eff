import { createHash } from 'node:crypto';
import type { Prisma } from '../../generated/prisma/client';
import { AuditLog, type AuditEntry } from '../../modules/tenancy/audit-log';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { newId } from '../../platform/ids';
import { clientOf } from './prisma-tenant-unit-of-work';

interface ChainedRow extends Required<AuditEntry> {
  readonly tenantId: string;
  readonly seq: bigint;
  readonly at: Date;
}

const GENESIS = Buffer.alloc(32);

/** SHA-256 over the previous hash and the row with its keys in a fixed order. */
function chainHash(previous: Uint8Array, row: ChainedRow): Uint8Array<ArrayBuffer> {
  const canonical = JSON.stringify([
    row.tenantId,
    row.seq.toString(),
    row.at.toISOString(),
    row.actor,
    row.action,
    row.object,
    row.outcome,
    row.requestId,
    sorted(row.detail),
  ]);
  return new Uint8Array(createHash('sha256').update(previous).update(canonical).digest());
}

/** JSONB does not keep the order of keys, so the hash must not depend on it. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.map(([key, inner]) => [key, sorted(inner)]);
  }
  return value;
}

export class PrismaAuditLog extends AuditLog {
  async append(tx: TenantTx, entry: AuditEntry): Promise<void> {
    const client = clientOf(tx);
    // One writer per tenant at a time, or two rows would claim the same predecessor.
    await client.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('audit:' || ${tx.tenantId}, 0))`;
    const last = await client.auditEvent.findFirst({
      orderBy: { seq: 'desc' },
      select: { seq: true, hash: true },
    });
    const row: ChainedRow = {
      detail: {},
      ...entry,
      tenantId: tx.tenantId,
      seq: (last?.seq ?? 0n) + 1n,
      at: new Date(),
    };
    const prevHash = new Uint8Array(last?.hash ?? GENESIS);
    await client.auditEvent.create({
      data: {
        ...row,
        id: newId(),
        detail: row.detail as Prisma.InputJsonObject,
        prevHash,
        hash: chainHash(prevHash, row),
      },
    });
  }

  async verify(tx: TenantTx): Promise<bigint | undefined> {
    let previous: Uint8Array = GENESIS;
    let expected = 1n;
    for (;;) {
      const rows = await clientOf(tx).auditEvent.findMany({
        where: { seq: { gte: expected } },
        orderBy: { seq: 'asc' },
        take: 500,
      });
      for (const row of rows) {
        const { actor, action, object, outcome, requestId, tenantId, seq, at } = row;
        const chained = {
          actor,
          action,
          object,
          outcome,
          requestId,
          tenantId,
          seq,
          at,
          detail: row.detail,
        } as ChainedRow;
        const fits = seq === expected && Buffer.from(row.prevHash).equals(previous);
        if (!fits || !Buffer.from(row.hash).equals(chainHash(previous, chained))) {
          return seq;
        }
        previous = row.hash;
        expected += 1n;
      }
      if (rows.length < 500) {
        return undefined;
      }
    }
  }
}
