// B6: reconcile passes per second with a plan of nothing, against BullMQ jobs of nothing on the same backend, from the
// first hint to the last release, in a process that is warm: one wave before, one measured. Both sides have the same
// number of jobs and slots; ours fetches with twice the concurrency, as in production, and has connections for leases
// besides. Best of three.
import { mkdtempSync, chmodSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { startPostgres } from '../tools/pg.mjs';
import { migrate, setLogins } from '../tools/schema-engine.mjs';
import { report } from './measure.mjs';

const require = createRequire(import.meta.url);
const { Queue, Worker } = require('bullmq');
const { v7 } = require('uuid');
const { connectQueues } = require('../dist/infrastructure/bullmq/queue-connection.js');
const { BullmqReconcileQueue } = require('../dist/infrastructure/bullmq/bullmq-reconcile-queue.js');
const { ReconcilePool } = require('../dist/infrastructure/prisma/reconcile-pool.js');
const { PgLeaseStore } = require('../dist/infrastructure/prisma/reconcile-leases.js');
const { PgStepJournal } = require('../dist/infrastructure/prisma/step-journal-store.js');
const { Metrics } = require('../dist/platform/metrics/metrics.js');
const { ReconcileLoop, LOOP_DEFAULTS } = require('../dist/reconcile/runtime/reconcile-loop.js');
const { ReconcileWorker } = require('../dist/reconcile/runtime/reconcile-worker.js');

const KEYS = 2000;
const TENANTS = 20;
const CONCURRENCY = 16;
const log = { debug() {}, info() {}, warn() {}, error() {} };

/** Counts to KEYS and then says how long it took. */
function finishLine() {
  let left = KEYS;
  let done;
  const passed = new Promise((resolve) => (done = resolve));
  return { passed, one: () => (--left === 0 ? done() : undefined) };
}

async function timed(start, passed) {
  const began = performance.now();
  await start();
  await passed;
  return (KEYS * 1000) / (performance.now() - began);
}

async function rawJobs(connect) {
  const connection = await connect();
  const name = `raw-${v7()}`;
  const queue = new Queue(name, { connection: connection.producer }, connection.backend);
  const once = { attempts: 1, removeOnComplete: true, removeOnFail: true };
  let line = finishLine();
  const worker = new Worker(
    name,
    async () => {},
    { connection: connection.worker, concurrency: CONCURRENCY },
    connection.backend,
  );
  worker.on('completed', () => line.one());
  await worker.waitUntilReady();
  const jobs = Array.from({ length: KEYS }, (_, n) => ({ name: 'raw', data: { key: `k${n}` }, opts: once }));
  await timed(() => queue.addBulk(jobs), line.passed);
  line = finishLine();
  const rate = await timed(() => queue.addBulk(jobs), line.passed);
  await worker.close();
  await queue.close();
  await connection.close();
  return rate;
}

async function passes(connect, systemUrl, admin) {
  const pool = new ReconcilePool({ url: systemUrl, poolSize: 8 });
  const leases = new PgLeaseStore(pool);
  const queue = new BullmqReconcileQueue(await connect(), {
    concurrency: CONCURRENCY * 2,
    log,
    name: `passes-${v7()}`,
  });
  const explain = { summary: '', next: [], waiting: [], refused: [] };
  const settled = { steps: [], conditions: [], state: 'Ready', explain, requeueAfterMs: undefined };
  const reconciler = {
    kind: 'cluster',
    observe: async (id) => id,
    plan: () => settled,
    writeStatus: async () => {},
    execute: async () => {},
  };
  const parts = {
    reconciler,
    leases,
    journal: new PgStepJournal(pool),
    queue,
    metrics: new Metrics(),
    log,
    now: () => new Date(),
    jitter: Math.random,
  };
  const loop = new ReconcileLoop(parts, { ...LOOP_DEFAULTS, owner: 'bench' });
  let line = finishLine();
  const counted = {
    run: async (key) => {
      const result = await loop.run(key);
      if (result === 'settled') line.one();
      return result;
    },
  };
  const worker = new ReconcileWorker({ queue, leases, loop: counted, log }, CONCURRENCY);
  await admin.query('TRUNCATE reconcile_keys');
  const keys = Array.from({ length: KEYS }, () => `cluster:${v7()}`);
  const tenants = Array.from({ length: TENANTS }, () => v7());
  await admin.query(
    'INSERT INTO reconcile_keys (key, tenant_id) SELECT * FROM unnest($1::text[], $2::uuid[])',
    [keys, keys.map((_, n) => tenants[n % TENANTS])],
  );
  await worker.start();
  await timed(() => queue.hint(keys), line.passed);
  line = finishLine();
  await admin.query('UPDATE reconcile_keys SET due_at = now()');
  const rate = await timed(() => queue.hint(keys), line.passed);
  await worker.stop();
  await pool.end();
  return rate;
}

/** @param redisUrl measures on Redis as well. */
export async function run({ redisUrl = process.env.BENCH_REDIS_URL } = {}) {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'quorate-bench-pg-'));
  chmodSync(dir, 0o755);
  const server = await startPostgres({ dir });
  const admin = new pg.Client(server.url('bench'));
  try {
    const root = new pg.Client(server.url());
    await root.connect();
    await root.query('CREATE DATABASE bench');
    await root.end();
    await migrate(server.url('bench'));
    await setLogins(server.url('bench'), { quorate_app: 'app', quorate_system: 'system' });
    await admin.connect();
    const system = new URL(server.url('bench'));
    [system.username, system.password] = ['quorate_system', 'system'];
    const out = [];
    for (const [backend, queueUrl] of [
      ['PostgreSQL', undefined],
      ...(redisUrl ? [['Redis', redisUrl]] : []),
    ]) {
      const connect = () => connectQueues({ queueUrl, systemUrl: system.href, poolSize: 8 });
      let [raw, ours] = [0, 0];
      for (let round = 0; round < 3; round += 1) {
        raw = Math.max(raw, await rawJobs(connect));
        ours = Math.max(ours, await passes(connect, system.href, admin));
      }
      const remark = `target 0.5x; ${Math.round(ours)}/s against ${Math.round(raw)} raw jobs/s`;
      out.push(
        report(
          'B6',
          `reconcile passes with nothing to do, queue on ${backend}`,
          `${(ours / raw).toFixed(2)}x`,
          remark,
        ),
      );
    }
    return out;
  } finally {
    await admin.end().catch(() => undefined);
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.table(await run());
  process.exit();
}
