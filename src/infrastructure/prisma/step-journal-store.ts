import type { Step } from '../../domain/planner/plan';
import { newId } from '../../platform/ids';
import { FencedOut, type Lease } from '../../reconcile/runtime/lease';
import { StepJournal } from '../../reconcile/runtime/step-journal';
import type { ReconcilePool } from './reconcile-pool';

/**
 * One statement holds the fence and writes the row; see reconcile-fenced-writes.ts for KEY SHARE. SET LOCAL is not
 * possible in one statement, set_config is: this commit must be on disk before the effect is sent.
 */
const BEGIN = `
  WITH durable AS MATERIALIZED (SELECT set_config('synchronous_commit', 'on', true) AS is),
  held AS (
    SELECT key FROM reconcile_keys WHERE key = $1 AND owner = $2 AND fence = $3 FOR KEY SHARE
  )
  INSERT INTO step_journal (id, tenant_id, cluster_id, type, target, because, disruptive, fence, owner, deadline_at)
  SELECT $4, $5, $6, $7, $8, $9, $10, $3, $2, now() + $11 * interval '1 millisecond'
  FROM held, durable WHERE durable.is = 'on'`;

const FINISH = `
  UPDATE step_journal SET finished_at = now(), outcome = $2, error = $3
  WHERE id = $1 AND finished_at IS NULL`;

const ABANDON = `
  UPDATE step_journal SET finished_at = now(), outcome = 'abandoned'
  WHERE cluster_id = $1 AND fence < $2 AND finished_at IS NULL`;

const PRUNE = `
  DELETE FROM step_journal WHERE cluster_id = $1 AND finished_at IS NOT NULL AND started_at < (
    SELECT started_at FROM step_journal WHERE cluster_id = $1 ORDER BY started_at DESC OFFSET $2 LIMIT 1
  )`;

export class PgStepJournal extends StepJournal {
  constructor(private readonly pool: ReconcilePool) {
    super();
  }

  async begin(lease: Lease, step: Step): Promise<string> {
    const id = newId();
    const about = [step.type, step.target, step.because, step.disruptive];
    const values = [
      lease.key,
      lease.owner,
      lease.fence,
      id,
      lease.tenantId,
      lease.id,
      ...about,
      step.deadlineMs,
    ];
    const { rowCount } = await this.pool.query({ name: 'journal-begin', text: BEGIN, values });
    if (rowCount === 0) {
      throw new FencedOut(lease);
    }
    return id;
  }

  async finish(entryId: string, outcome: 'done' | 'failed', error?: string): Promise<void> {
    await this.pool.query({
      name: 'journal-finish',
      text: FINISH,
      values: [entryId, outcome, error ?? null],
    });
  }

  async abandonOlder(lease: Lease): Promise<void> {
    await this.pool.query({ name: 'journal-abandon', text: ABANDON, values: [lease.id, lease.fence] });
  }

  async prune(lease: Lease, keep: number): Promise<void> {
    await this.pool.query({ name: 'journal-prune', text: PRUNE, values: [lease.id, keep - 1] });
  }
}
