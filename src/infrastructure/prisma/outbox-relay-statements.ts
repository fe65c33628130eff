/** The relay's statements; all in the leader's session. */
import type { Client } from 'pg';
import { markDue } from './reconcile-sweep';

export const BATCH = 500;
const PRUNE_BATCH = 2_000;

export interface PublishedBatch {
  readonly count: number;
  /** Keys to hint; each once. */
  readonly keys: readonly string[];
  readonly lagSeconds: number;
}

/** The inner query is ordered before nextval sees it: numbers follow ids inside a batch. */
const PUBLISH = `
  WITH numbered AS (
    SELECT id, nextval('outbox_published_seq') AS seq
    FROM (SELECT id FROM outbox WHERE seq IS NULL ORDER BY id LIMIT ${BATCH}) unpublished
  )
  UPDATE outbox o SET seq = numbered.seq, published_at = clock_timestamp()
  FROM numbered WHERE o.id = numbered.id
  RETURNING o.seq, o.hint_key, extract(epoch FROM clock_timestamp() - o.created_at)::float8 AS lag`;

export async function publishBatch(session: Client): Promise<PublishedBatch> {
  await session.query('BEGIN');
  const { rows } = await session.query<{ seq: string; hint_key: string | null; lag: number }>({
    name: 'outbox-publish',
    text: PUBLISH,
  });
  if (rows.length === 0) {
    await session.query('COMMIT');
    return { count: 0, keys: [], lagSeconds: 0 };
  }
  const keys = await markDue(session, [...new Set(rows.flatMap((row) => row.hint_key ?? []))]);
  const last = rows.reduce((max, row) => (BigInt(row.seq) > max ? BigInt(row.seq) : max), 0n);
  await session.query(`SELECT pg_notify('quorate_changes', $1)`, [last.toString()]);
  await session.query('COMMIT');
  return { count: rows.length, keys, lagSeconds: Math.max(...rows.map((row) => row.lag)) };
}

/**
 * `outbox_pruned_seq` is set first and is not undone by a rollback: a watch that resumes from below it gets 410 a moment
 * too early rather than a gap. It is a sequence because every tenant may read it and no row-level policy hides it.
 */
const PRUNE = `
  WITH old AS MATERIALIZED (
    SELECT id, seq FROM outbox
    WHERE seq IS NOT NULL AND published_at < now() - $1 * interval '1 millisecond'
    ORDER BY seq LIMIT ${PRUNE_BATCH}
  ),
  told AS MATERIALIZED (SELECT setval('outbox_pruned_seq', max(seq)) AS seq FROM old HAVING count(*) > 0)
  DELETE FROM outbox USING old, told WHERE outbox.id = old.id AND told.seq IS NOT NULL`;

export async function pruneOutbox(session: Client, keepMs: number): Promise<void> {
  for (;;) {
    const { rowCount } = await session.query(PRUNE, [keepMs]);
    if ((rowCount ?? 0) < PRUNE_BATCH) {
      return;
    }
  }
}
