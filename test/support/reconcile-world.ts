/** The reconcile runtime on a database of its own, with a reconciler that does what a test says. */
import { Client, Pool } from 'pg';
import type { Plan, Step } from '../../src/domain/planner/plan';
import { connectQueues } from '../../src/infrastructure/bullmq/queue-connection';
import { BullmqReconcileQueue } from '../../src/infrastructure/bullmq/bullmq-reconcile-queue';
import { SystemPrisma } from '../../src/infrastructure/prisma/prisma-clients';
import { PrismaFencedWrites } from '../../src/infrastructure/prisma/reconcile-fenced-writes';
import { PgLeaseStore } from '../../src/infrastructure/prisma/reconcile-leases';
import { ReconcilePool } from '../../src/infrastructure/prisma/reconcile-pool';
import { PgStepJournal } from '../../src/infrastructure/prisma/step-journal-store';
import { newId } from '../../src/platform/ids';
import { Metrics } from '../../src/platform/metrics/metrics';
import type { Lease } from '../../src/reconcile/runtime/lease';
import {
  LOOP_DEFAULTS,
  ReconcileLoop,
  type LoopOptions,
  type LoopParts,
} from '../../src/reconcile/runtime/reconcile-loop';
import type { ReconcileLog } from '../../src/reconcile/runtime/reconcile-metrics';
import type { Reconciler } from '../../src/reconcile/runtime/reconciler';
import { createTestDatabase } from './database';

export const silent: ReconcileLog = { debug() {}, info() {}, warn() {}, error() {} };

/** Polls until `probe` gives something else than undefined or false. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 15_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) {
      return value;
    }
    if (performance.now() > end) {
      throw new Error(`not within ${withinMs} ms: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function step(type: string, more: Partial<Step> = {}): Step {
  return { type, target: 'm1', because: 'the test says so', disruptive: false, deadlineMs: 10_000, ...more };
}

export function plan(more: Partial<Plan> = {}): Plan {
  const explain = { summary: '', next: [], waiting: [], refused: [] };
  return { steps: [], conditions: [], state: 'Ready', explain, requeueAfterMs: undefined, ...more };
}

/** Plans nothing unless told otherwise; remembers how often it looked. */
export class FakeReconciler implements Reconciler<string> {
  readonly kind = 'cluster';
  readonly observed: string[] = [];
  readonly executed: string[] = [];
  plans: Plan[] = [];
  onObserve: (id: string, lease: Lease) => Promise<void> = () => Promise.resolve();
  onExecute: (step: Step, lease: Lease) => Promise<void> = () => Promise.resolve();
  onStatus: (lease: Lease) => Promise<void> = () => Promise.resolve();
  gone = new Set<string>();

  async observe(id: string, lease: Lease): Promise<string | undefined> {
    this.observed.push(id);
    await this.onObserve(id, lease);
    return this.gone.has(id) ? undefined : id;
  }

  plan(): Plan {
    return this.plans.shift() ?? plan();
  }

  writeStatus(_snapshot: string, _plan: Plan, lease: Lease): Promise<void> {
    return this.onStatus(lease);
  }

  async execute(taken: Step, _snapshot: string, lease: Lease): Promise<void> {
    this.executed.push(taken.type);
    await this.onExecute(taken, lease);
  }
}

export interface KeyRow {
  owner: string | null;
  fence: string;
  failures: number;
  last_error: string | null;
  due_in_ms: number;
}

export async function createReconcileWorld() {
  const database = await createTestDatabase();
  const admin = new Pool({ connectionString: database.adminUrl, max: 4 });
  admin.on('error', () => undefined);
  const pool = new ReconcilePool({ url: database.systemUrl, poolSize: 6 });
  const prisma = new SystemPrisma({ url: database.systemUrl, poolSize: 4 });
  const leases = new PgLeaseStore(pool);
  const journal = new PgStepJournal(pool);
  const metrics = new Metrics();
  const closers: (() => Promise<unknown>)[] = [];
  let names = 0;

  const sql = async <T>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await admin.query(text, values)).rows as T[];

  const world = {
    database,
    sql,
    leases,
    journal,
    metrics,
    writes: new PrismaFencedWrites(prisma),
    onClose: (close: () => Promise<unknown>) => closers.push(close),

    async tenant(): Promise<string> {
      const id = newId();
      await sql(`INSERT INTO tenants (id, name, display_name) VALUES ($1, $2, '')`, [id, `t-${id}`]);
      return id;
    },

    /** A cluster with a key that is due; the id and the key. */
    async cluster(tenantId: string): Promise<{ id: string; key: string }> {
      const id = newId();
      const key = `cluster:${id}`;
      await sql(
        `INSERT INTO clusters (id, tenant_id, name, spec, template_text, endpoint_host) VALUES ($1, $2, $3, '{}', '', $3)`,
        [id, tenantId, `c-${id}`],
      );
      await sql(`INSERT INTO reconcile_keys (key, tenant_id) VALUES ($1, $2)`, [key, tenantId]);
      return { id, key };
    },

    async keyRow(key: string): Promise<KeyRow | undefined> {
      const [row] = await sql<KeyRow>(
        `SELECT owner, fence, failures, last_error, extract(epoch FROM due_at - now())::float8 * 1000 AS due_in_ms
         FROM reconcile_keys WHERE key = $1`,
        [key],
      );
      return row;
    },

    /** What a command does: a change and its outbox row in one transaction. */
    change(tenantId: string, hintKey: string | null, via: Pool | Client = admin) {
      return via.query(
        `INSERT INTO outbox (tenant_id, kind, object_id, change, hint_key) VALUES ($1, 'Cluster', $2, 'updated', $3)`,
        [tenantId, newId(), hintKey],
      );
    },

    async queue(concurrency = 4, name = `q${newId()}`, lockMs?: number): Promise<BullmqReconcileQueue> {
      const connection = await connectQueues({
        queueUrl: process.env['TEST_REDIS_URL'],
        systemUrl: database.systemUrl,
        poolSize: 6,
      });
      const queue = new BullmqReconcileQueue(connection, {
        concurrency,
        log: silent,
        name,
        ...(lockMs ? { lockMs } : {}),
      });
      closers.push(() => queue.stop());
      return queue;
    },

    loop(
      parts: Partial<LoopParts<string, Step>> & Pick<LoopParts<string, Step>, 'reconciler'>,
      options: Partial<LoopOptions> = {},
    ) {
      names += 1;
      const queue = { hint: () => Promise.resolve(), wake: () => Promise.resolve() };
      return new ReconcileLoop<string, Step>(
        { leases, journal, queue, metrics, log: silent, now: () => new Date(), jitter: () => 0.5, ...parts },
        { ...LOOP_DEFAULTS, owner: `owner-${names}`, ...options },
      );
    },

    async close(): Promise<void> {
      for (const close of closers.reverse()) {
        await close().catch(() => undefined);
      }
      await Promise.all([pool.end(), prisma.$disconnect(), admin.end()]);
      await database.drop();
    },
  };
  return world;
}

export type ReconcileWorld = Awaited<ReturnType<typeof createReconcileWorld>>;
