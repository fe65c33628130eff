import type { QueryConfig, QueryResultRow } from 'pg';
import { FencedOut, type Lease } from '../../reconcile/runtime/lease';
import { LeaseStore, type Acquisition, type Release } from '../../reconcile/runtime/lease-store';
import type { ReconcilePool } from './reconcile-pool';

/** Timers of a process and the clock of the database may differ by this much. */
const EARLY_MS = 50;

const ms = (parameter: string): string => `${parameter} * interval '1 millisecond'`;

/**
 * SKIP LOCKED: a row that is locked is one that somebody alive works on. FOR UPDATE waits for no fenced write either;
 * it must only not overtake one (reconcile-fenced-writes.ts). `due_at = started_at` marks "no hint since": a hint makes
 * it greater, whatever the clocks say.
 */
const ACQUIRE = `
  WITH free AS (
    SELECT key, owner FROM reconcile_keys
    WHERE key = $1 AND due_at <= now() + interval '${EARLY_MS} milliseconds'
      AND (owner IS NULL OR lease_expires_at < now())
    FOR UPDATE SKIP LOCKED
  )
  UPDATE reconcile_keys k
  SET owner = $2, fence = k.fence + 1, lease_expires_at = now() + ${ms('$3')},
      due_at = now(), started_at = now(), finished_at = NULL
  FROM free WHERE k.key = free.key
  RETURNING k.fence, k.tenant_id, k.failures, free.owner IS NOT NULL AS taken_over`;

const WHY_NOT = `
  SELECT owner IS NOT NULL AND lease_expires_at >= now() AS busy,
         extract(epoch FROM due_at - now())::float8 * 1000 AS due_in_ms
  FROM reconcile_keys WHERE key = $1`;

const EXTEND = `
  UPDATE reconcile_keys SET lease_expires_at = now() + ${ms('$4')}
  WHERE key = $1 AND owner = $2 AND fence = $3`;

const RELEASE = `
  UPDATE reconcile_keys
  SET owner = NULL, lease_expires_at = NULL, finished_at = now(), failures = $5, last_error = $6,
      due_at = CASE WHEN due_at > started_at THEN due_at ELSE now() + ${ms('$4')} END
  WHERE key = $1 AND owner = $2 AND fence = $3
  RETURNING extract(epoch FROM due_at - now())::float8 * 1000 AS due_in_ms`;

const FORGET = 'DELETE FROM reconcile_keys WHERE key = $1 AND owner = $2 AND fence = $3';
const TENANTS = 'SELECT key, tenant_id FROM reconcile_keys WHERE key = ANY($1)';

interface AcquiredRow {
  fence: string;
  tenant_id: string;
  failures: number;
  taken_over: boolean;
}

export class PgLeaseStore extends LeaseStore {
  constructor(private readonly pool: ReconcilePool) {
    super();
  }

  async acquire(key: string, owner: string, leaseMs: number): Promise<Acquisition> {
    const [row] = await this.rows<AcquiredRow>('lease-acquire', ACQUIRE, [key, owner, leaseMs]);
    if (row === undefined) {
      return this.whyNot(key);
    }
    const id = key.slice(key.indexOf(':') + 1);
    const lease = { key, id, tenantId: row.tenant_id, owner, fence: BigInt(row.fence) };
    return { is: 'acquired', lease, failures: row.failures, takenOver: row.taken_over };
  }

  async extend(lease: Lease, leaseMs: number): Promise<boolean> {
    return (await this.changed('lease-extend', EXTEND, [...held(lease), leaseMs])) === 1;
  }

  async release(lease: Lease, release: Release): Promise<number> {
    const values = [...held(lease), release.dueInMs, release.failures, release.lastError ?? null];
    const [row] = await this.rows<{ due_in_ms: number }>('lease-release', RELEASE, values);
    if (row === undefined) {
      throw new FencedOut(lease);
    }
    return row.due_in_ms;
  }

  async forget(lease: Lease): Promise<void> {
    await this.changed('lease-forget', FORGET, held(lease));
  }

  async tenantsOf(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.rows<{ key: string; tenant_id: string }>('lease-tenants', TENANTS, [keys]);
    return new Map(rows.map((row) => [row.key, row.tenant_id]));
  }

  private async whyNot(key: string): Promise<Acquisition> {
    const [row] = await this.rows<{ busy: boolean; due_in_ms: number }>('lease-why-not', WHY_NOT, [key]);
    if (row === undefined) {
      return { is: 'missing' };
    }
    return row.busy || row.due_in_ms <= EARLY_MS ? { is: 'busy' } : { is: 'not-due', dueInMs: row.due_in_ms };
  }

  private async rows<T extends QueryResultRow>(name: string, text: string, values: unknown[]): Promise<T[]> {
    return (await this.pool.query<T>(prepared(name, text, values))).rows;
  }

  private async changed(name: string, text: string, values: unknown[]): Promise<number | null> {
    return (await this.pool.query(prepared(name, text, values))).rowCount;
  }
}

/** Named statements are parsed once per connection. */
const prepared = (name: string, text: string, values: unknown[]): QueryConfig => ({ name, text, values });
const held = (lease: Lease): unknown[] => [lease.key, lease.owner, lease.fence];
