import type { QueryConfig, QueryResultRow } from 'pg';
import { FencedOut, type Lease } from '../../reconcile/runtime/lease';
import { LeaseStore, type Acquisition, type Release } from '../../reconcile/runtime/lease-store';
import { ReconcileBatch } from './reconcile-batch';
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
  WITH wanted AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::float8[]) AS wanted (key, owner, lease_ms)
  ),
  free AS (
    SELECT key, owner FROM reconcile_keys
    WHERE key = ANY($1) AND due_at <= now() + interval '${EARLY_MS} milliseconds'
      AND (owner IS NULL OR lease_expires_at < now())
    FOR UPDATE SKIP LOCKED
  )
  UPDATE reconcile_keys k
  SET owner = wanted.owner, fence = k.fence + 1, lease_expires_at = now() + ${ms('wanted.lease_ms')},
      due_at = now(), started_at = now(), finished_at = NULL
  FROM free JOIN wanted USING (key) WHERE k.key = free.key
  RETURNING k.key, k.fence, k.tenant_id, k.failures, free.owner IS NOT NULL AS taken_over`;

const WHY_NOT = `
  SELECT owner IS NOT NULL AND lease_expires_at >= now() AS busy,
         extract(epoch FROM due_at - now())::float8 * 1000 AS due_in_ms
  FROM reconcile_keys WHERE key = $1`;

const EXTEND = `
  UPDATE reconcile_keys SET lease_expires_at = now() + ${ms('$4')}
  WHERE key = $1 AND owner = $2 AND fence = $3`;

/** Rows are locked in the order of their keys, as the relay does: two batches never wait for each other in a circle. */
const RELEASE = `
  WITH given AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::float8[], $5::int[], $6::text[])
      AS given (key, owner, fence, due_in_ms, failures, last_error)
  ),
  held AS (
    SELECT k.key FROM reconcile_keys k JOIN given ON k.key = given.key AND k.owner = given.owner AND k.fence = given.fence
    ORDER BY k.key FOR NO KEY UPDATE OF k
  )
  UPDATE reconcile_keys k
  SET owner = NULL, lease_expires_at = NULL, finished_at = now(), failures = given.failures,
      last_error = given.last_error,
      due_at = CASE WHEN k.due_at > k.started_at THEN k.due_at ELSE now() + ${ms('given.due_in_ms')} END
  FROM held JOIN given USING (key) WHERE k.key = held.key
  RETURNING k.key, extract(epoch FROM k.due_at - now())::float8 * 1000 AS due_in_ms`;

const FORGET = 'DELETE FROM reconcile_keys WHERE key = $1 AND owner = $2 AND fence = $3';
const TENANTS = 'SELECT key, tenant_id FROM reconcile_keys WHERE key = ANY($1)';

interface AcquiredRow {
  key: string;
  fence: string;
  tenant_id: string;
  failures: number;
  taken_over: boolean;
}

interface Wanted {
  readonly key: string;
  readonly owner: string;
  readonly leaseMs: number;
}

interface Given extends Release {
  readonly lease: Lease;
}

export class PgLeaseStore extends LeaseStore {
  private readonly acquisitions = new ReconcileBatch((wanted: readonly Wanted[]) => this.acquireAll(wanted));
  private readonly releases = new ReconcileBatch((given: readonly Given[]) => this.releaseAll(given));
  private readonly tenants = new ReconcileBatch((keys: readonly string[]) => this.tenantsOf(keys));

  constructor(private readonly pool: ReconcilePool) {
    super();
  }

  async acquire(key: string, owner: string, leaseMs: number): Promise<Acquisition> {
    const row = await this.acquisitions.add({ key, owner, leaseMs });
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
    const dueInMs = await this.releases.add({ lease, ...release });
    if (dueInMs === undefined) {
      throw new FencedOut(lease);
    }
    return dueInMs;
  }

  async forget(lease: Lease): Promise<void> {
    await this.changed('lease-forget', FORGET, held(lease));
  }

  tenantOf(key: string): Promise<string | undefined> {
    return this.tenants.add(key);
  }

  private async acquireAll(wanted: readonly Wanted[]): Promise<(AcquiredRow | undefined)[]> {
    // Of two calls for one key in a batch the first gets the lease.
    const first = new Map(wanted.toReversed().map((want) => [want.key, want]));
    const calls = [...first.values()];
    const values = [calls.map((c) => c.key), calls.map((c) => c.owner), calls.map((c) => c.leaseMs)];
    const rows = await this.rows<AcquiredRow>('lease-acquire', ACQUIRE, values);
    const byKey = new Map(rows.map((row) => [row.key, row]));
    return wanted.map((want) => (first.get(want.key) === want ? byKey.get(want.key) : undefined));
  }

  private async releaseAll(given: readonly Given[]): Promise<(number | undefined)[]> {
    const values = [
      given.map((g) => g.lease.key),
      given.map((g) => g.lease.owner),
      given.map((g) => g.lease.fence),
      given.map((g) => g.dueInMs),
      given.map((g) => g.failures),
      given.map((g) => g.lastError ?? null),
    ];
    const rows = await this.rows<{ key: string; due_in_ms: number }>('lease-release', RELEASE, values);
    const byKey = new Map(rows.map((row) => [row.key, row.due_in_ms]));
    return given.map((g) => byKey.get(g.lease.key));
  }

  private async tenantsOf(keys: readonly string[]): Promise<(string | undefined)[]> {
    const rows = await this.rows<{ key: string; tenant_id: string }>('lease-tenants', TENANTS, [keys]);
    const byKey = new Map(rows.map((row) => [row.key, row.tenant_id]));
    return keys.map((key) => byKey.get(key));
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
