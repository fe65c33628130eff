// B2: managed clusters of three machines from sync to Ready to gone, all at once, on simulated machines that answer
// without delay: what is measured is the orchestration. The baseline is one such cluster alone, in the same run.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { percentile, report } from './measure.mjs';

const root = path.resolve(import.meta.dirname, '..');
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const template = (name) => `kind: Cluster
name: ${name}
kubernetes: { version: v1.36.3 }
talos: { version: v1.13.9 }
---
kind: ControlPlane
managed: { enabled: true, size: m }
`;

/** As many callers as a team has; a hundred requests in one instant measure the connection pool. */
const CALLERS = 8;
async function inParallel(items, work) {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}

async function freeBase() {
  for (let base = 21000; base < 40000; base += 10) {
    const free = await Promise.all(
      [0, 1, 2, 3, 4, 5].map(
        (i) =>
          new Promise((resolve) => {
            const server = createServer()
              .once('error', () => resolve(false))
              .listen(base + i, '127.0.0.1', () => server.close(() => resolve(true)));
          }),
      ),
    );
    if (free.every(Boolean)) return base;
  }
  throw new Error('no free ports');
}

/** Keys cost seconds of CPU each and are made ahead in production: the pool is filled before the clock starts. */
async function start(clusters) {
  const dir = mkdtempSync(path.join(tmpdir(), 'quorate-bench-'));
  const env = {
    ...process.env,
    QUORATE_DATA_DIR: dir,
    QUORATE_PORT: String(await freeBase()),
    LOG_LEVEL: 'warn',
    SIMULATOR_LATENCY_MS: '0',
    SIMULATOR_ETCD: 'modelled',
    AGENT_MAX_IN_FLIGHT: '32',
    KEY_POOL_SIZE: String(clusters + 1),
    WORKER_CONCURRENCY: '32',
    DATABASE_POOL: '16',
  };
  const child = spawn(process.execPath, [path.join(root, 'tools/start.mjs')], {
    env,
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('Quorate is ready')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}`)));
  });
  const { url, token } = JSON.parse(readFileSync(path.join(dir, 'quickstart.json'), 'utf8'));
  const api = async (pathname, init = {}) => {
    const answer = await fetch(`${url}/api/v1/tenants/demo${pathname}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.body && { 'content-type': 'application/json' }) },
    });
    if (!answer.ok) throw new Error(`${pathname}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  const stop = async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    await gone;
    rmSync(dir, { recursive: true, force: true });
  };
  return { api, metrics, stop };
}

async function keysReady({ metrics }, wanted) {
  for (const end = Date.now() + 600_000; Date.now() < end; await sleep(500)) {
    const ready = /^quorate_service_account_keys_ready (\d+)/m.exec(await metrics());
    if (ready !== null && Number(ready[1]) >= wanted) return;
  }
  throw new Error('the key pool does not fill');
}

async function states({ api }) {
  const all = new Map();
  for (let token = ''; ; ) {
    const page = await api(`/clusters?pageSize=500${token && `&pageToken=${token}`}`);
    for (const cluster of page.items) all.set(cluster.name, cluster.state);
    if (!page.nextPageToken) return all;
    token = page.nextPageToken;
  }
}

/** Milliseconds from the sync of each cluster to Ready. */
async function build(installation, names) {
  const since = new Map();
  const took = new Map();
  await inParallel(names, async (name) => {
    since.set(name, performance.now());
    await installation.api('/templates:sync', {
      method: 'POST',
      body: JSON.stringify({ template: template(name) }),
    });
  });
  for (const end = Date.now() + 900_000; took.size < names.length && Date.now() < end; await sleep(100)) {
    for (const [name, state] of await states(installation))
      if (state === 'Ready' && since.has(name) && !took.has(name))
        took.set(name, performance.now() - since.get(name));
  }
  if (took.size < names.length)
    throw new Error(`${names.length - took.size} clusters are not Ready after 15 minutes`);
  return [...took.values()];
}

async function destroy(installation, names) {
  const start = performance.now();
  await inParallel(names, (name) => installation.api(`/clusters/${name}`, { method: 'DELETE' }));
  for (const end = Date.now() + 900_000; Date.now() < end; await sleep(100))
    if (![...(await states(installation)).keys()].some((name) => names.includes(name)))
      return performance.now() - start;
  throw new Error('clusters are left after 15 minutes');
}

export async function run({ clusters = 100 } = {}) {
  const installation = await start(clusters);
  try {
    await keysReady(installation, clusters + 1);
    const [alone] = await build(installation, ['alone']);
    const names = Array.from({ length: clusters }, (_, i) => `fleet-${i}`);
    const begin = performance.now();
    const took = await build(installation, names);
    const all = performance.now() - begin;
    const gone = await destroy(installation, names);
    const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
    const p95 = percentile(took, 0.95);
    return [
      report('B2', 'one cluster alone, sync to Ready', seconds(alone), 'baseline'),
      report(
        'B2',
        `${clusters} clusters at once, p50 / p95`,
        `${seconds(percentile(took, 0.5))} / ${seconds(p95)}`,
        `p95 is ${(p95 / alone).toFixed(1)}x of one alone; target <= 10 s under load`,
      ),
      report('B2', 'clusters made per second', (clusters / (all / 1000)).toFixed(2), 'target >= 2'),
      report('B2', 'clusters deleted per second', (clusters / (gone / 1000)).toFixed(2)),
    ];
  } finally {
    await installation.stop();
  }
}
