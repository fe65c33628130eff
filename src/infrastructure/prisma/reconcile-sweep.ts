/** What is due, whoever forgot to say so: the part of the queue that cannot be lost. In the leader's session. */
import type { Client } from 'pg';

const SWEEP_BATCH = 500;
const KEY = /^cluster:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * The tenant comes from the cluster's row: the change may have been written under another one (a machine request of the
 * platform wakes a tenant's cluster). A hint that comes in during a pass is later than its start, whatever the clocks
 * say; that is how release knows of it.
 */
const MARK_DUE = `
  INSERT INTO reconcile_keys (key, tenant_id, due_at)
  SELECT 'cluster:' || id, tenant_id, clock_timestamp() FROM clusters WHERE id = ANY($1::uuid[]) ORDER BY 1
  ON CONFLICT (key) DO UPDATE
  SET due_at = greatest(clock_timestamp(), reconcile_keys.started_at + interval '1 microsecond')
  RETURNING key`;

/**
 * A cluster row that is gone may leave a key that needs a last pass to be forgotten; that pass has been asked for by
 * the change that removed it.
 */
const MARK_DUE_GONE = `
  UPDATE reconcile_keys
  SET due_at = greatest(clock_timestamp(), started_at + interval '1 microsecond')
  WHERE key = ANY($1) RETURNING key`;

/** @returns those of the keys that have a row now. */
export async function markDue(session: Client, keys: readonly string[]): Promise<string[]> {
  const ids = keys.flatMap((key) => KEY.exec(key)?.[1] ?? []);
  if (ids.length === 0) {
    return [];
  }
  const { rows } = await session.query<{ key: string }>({ name: 'mark-due', text: MARK_DUE, values: [ids] });
  const marked = rows.map((row) => row.key);
  const others = keys.filter((key) => !marked.includes(key));
  if (others.length === 0) {
    return marked;
  }
  const gone = await session.query<{ key: string }>(MARK_DUE_GONE, [others]);
  return [...marked, ...gone.rows.map((row) => row.key)];
}

/** One key of each tenant, then the second of each: a tenant with many due keys does not fill the batch. */
const DUE = `
  SELECT key FROM (
    SELECT key, due_at, row_number() OVER (PARTITION BY tenant_id ORDER BY due_at) AS turn
    FROM reconcile_keys WHERE due_at <= now() AND (owner IS NULL OR lease_expires_at < now())
  ) due ORDER BY turn, due_at LIMIT ${SWEEP_BATCH}`;

export async function dueKeys(session: Client): Promise<string[]> {
  const { rows } = await session.query<{ key: string }>({ name: 'sweep-due', text: DUE });
  return rows.map((row) => row.key);
}

const MISSING = `
  INSERT INTO reconcile_keys (key, tenant_id)
  SELECT 'cluster:' || c.id, c.tenant_id FROM clusters c
  WHERE NOT EXISTS (SELECT FROM reconcile_keys k WHERE k.key = 'cluster:' || c.id)
  ON CONFLICT DO NOTHING`;

/** For clusters whose outbox row was lost to a restore or to a person. At the start of a term only. */
export async function insertMissingKeys(session: Client): Promise<void> {
  await session.query(MISSING);
}
