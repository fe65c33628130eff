/**
 * A cluster from its rows to Ready to nothing: the real reconciler, queue, relay and Talos client against simulated
 * machines; the provider is a loop over the request table.
 */
import { Test, type TestingModule } from '@nestjs/testing';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { PlatformModule } from '../../src/app/platform.module';
import { WorkerModule } from '../../src/app/worker.module';
import { loadConfig } from '../../src/platform/config/config';
import { newId } from '../../src/platform/ids';
import { Lifecycle } from '../../src/platform/lifecycle/lifecycle';
import { Metrics } from '../../src/platform/metrics/metrics';
import { SimulatedDataCenter } from '../../src/simulator/simulated-data-center';
import { A_SPEC } from '../support/a-cluster';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { eventually } from '../support/reconcile-world';

const PLATFORM = newId();
const TENANT = newId();
const PROVIDER = newId();
const LIMIT_MS = 60_000;

let database: TestDatabase;
let sql: Client;
let cloud: SimulatedDataCenter;
let worker: TestingModule;
const dir = mkdtempSync(join(tmpdir(), 'cluster-life-'));
let provider: NodeJS.Timeout;
/** Under which clusters' ids machines published themselves. */
const discoveryIds = new Set<string>();

async function startWorker(): Promise<TestingModule> {
  const config = loadConfig({
    DATABASE_URL: database.appUrl,
    DATABASE_SYSTEM_URL: database.systemUrl,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    DISCOVERY_URL: cloud.info().discoveryEndpoint,
    LOG_LEVEL: 'silent',
    KEY_POOL_SIZE: '1',
    ...(process.env['TEST_REDIS_URL'] !== undefined && { QUEUE_URL: process.env['TEST_REDIS_URL'] }),
  });
  const app = await Test.createTestingModule({
    imports: [PlatformModule.withConfig(config, new Metrics()), WorkerModule],
  }).compile();
  await app.init();
  await app.get(Lifecycle).start();
  return app;
}

/** What agents do, without their protocol. */
async function provide(): Promise<void> {
  const { rows } = await sql.query<{
    id: string;
    name: string;
    cluster_id: string;
    machine_set_id: string;
    gate: Date | null;
    phase: string;
  }>(
    `SELECT r.id, r.name, r.cluster_id, s.machine_set_id, r.gate_opened_at AS gate, r.phase
     FROM machine_requests r JOIN machine_request_sets s ON s.id = r.request_set_id
     WHERE r.phase = 'Pending' AND r.deprovision_requested_at IS NULL OR r.gate_opened_at IS NOT NULL AND r.phase <> 'Deprovisioned'`,
  );
  for (const row of rows) {
    if (row.gate !== null) {
      await cloud.remove(row.name);
      await sql.query(`UPDATE machine_requests SET phase = 'Deprovisioned' WHERE id = $1`, [row.id]);
    } else {
      const { machine } = await cloud.put(row.name, {
        site: 'lab',
        requestId: row.id,
        talosVersion: '1.13.9',
      });
      await sql.query(
        `INSERT INTO machines (id, tenant_id, provider_id, request_id, provider_machine_ref, addresses, talos_endpoint, kubernetes_endpoint, cluster_id, machine_set_id, hostname)
         VALUES ($1, $2, $3, $4, $5, '["127.0.0.1"]', $6, $7, $8, $9, $5)`,
        [
          machine.machineId,
          PLATFORM,
          PROVIDER,
          row.id,
          row.name,
          machine.talosEndpoint,
          machine.kubernetesEndpoint,
          row.cluster_id,
          row.machine_set_id,
        ],
      );
      await sql.query(
        `UPDATE machine_requests SET phase = 'Provisioned', fencing_token = 1, machine_id = $2 WHERE id = $1`,
        [row.id, machine.machineId],
      );
    }
    await sql.query(
      `INSERT INTO outbox (tenant_id, kind, object_id, change, hint_key) VALUES ($1, 'MachineRequest', $2, 'updated', $3)`,
      [PLATFORM, row.id, `cluster:${row.cluster_id}`],
    );
  }
}

beforeAll(async () => {
  database = await createTestDatabase();
  sql = new Client(database.adminUrl);
  await sql.connect();
  await sql.query(
    `INSERT INTO tenants (id, name, display_name, kind) VALUES ($1, 'platform', 'Platform', 'platform'), ($2, 'acme', 'Acme', 'tenant')`,
    [PLATFORM, TENANT],
  );
  await sql.query(
    `INSERT INTO providers (id, tenant_id, name, alias, hidden) VALUES ($1, $2, 'metal', 'default', true)`,
    [PROVIDER, PLATFORM],
  );
  cloud = new SimulatedDataCenter({
    stateDir: dir,
    token: 't',
    etcd: 'modelled',
    latencyMs: 0,
    rateLimit: false,
  });
  cloud.discovery.onChange((discoveryId) => discoveryIds.add(discoveryId));
  await cloud.start();
  worker = await startWorker();
  let busy = Promise.resolve();
  provider = setInterval(() => {
    busy = busy.then(provide);
  }, 50);
}, LIMIT_MS);

afterAll(async () => {
  clearInterval(provider);
  await worker.get(Lifecycle).stop();
  await worker.close();
  await cloud.stop();
  await sql.end();
  await database.drop();
  rmSync(dir, { recursive: true, force: true });
}, LIMIT_MS);

/** What a template sync writes. */
async function create(
  name: string,
  replicas: number,
  more: (setId: string, clusterId: string) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const id = newId();
  const spec = { ...A_SPEC, name };
  await sql.query(
    `INSERT INTO clusters (id, tenant_id, name, spec, template_text, managed, endpoint_host) VALUES ($1, $2, $3, $4, '', true, $5)`,
    [id, TENANT, name, spec, `${name}.clusters.test`],
  );
  await sql.query(
    `INSERT INTO machine_sets (id, tenant_id, cluster_id, name, role, source_kind, source, replicas)
     VALUES ($1, $2, $3, 'control-planes', 'control-plane', 'managed', '{"kind":"managed","provider":"default","size":"m"}', $4)`,
    [newId(), TENANT, id, replicas],
  );
  await more(newId(), id);
  await operate(id, 'create');
  return id;
}

async function operate(clusterId: string, kind: 'create' | 'update' | 'delete'): Promise<void> {
  await sql.query(
    `INSERT INTO operations (id, tenant_id, cluster_id, kind, requested_by) VALUES ($1, $2, $3, $4, 'test')`,
    [newId(), TENANT, clusterId, kind],
  );
  await sql.query(
    `INSERT INTO outbox (tenant_id, kind, object_id, change, hint_key) VALUES ($1, 'Cluster', $2, 'updated', $3)`,
    [TENANT, clusterId, `cluster:${clusterId}`],
  );
}

interface ClusterNow {
  readonly state: string;
  readonly explain: unknown;
  readonly bootstrap_machine_id: string | null;
  readonly bootstrapped_at: Date | null;
}
const look = async (id: string): Promise<ClusterNow | undefined> =>
  (await sql.query<ClusterNow>('SELECT * FROM clusters WHERE id = $1', [id])).rows[0];

test(
  'a three-machine control plane becomes Ready, and all of it goes again',
  async () => {
    const id = await create('demo', 3);
    await eventually('Ready', async () => (await look(id))?.state === 'Ready', LIMIT_MS);

    const machines = await sql.query<{ facts: { etcd: { members: unknown[] } } }>(
      'SELECT facts FROM machines WHERE cluster_id = $1',
      [id],
    );
    expect(machines.rows.map((m) => m.facts.etcd.members.length)).toEqual([3, 3, 3]);
    const seen = await sql.query(`SELECT state, ready FROM cluster_machines WHERE cluster_id = $1`, [id]);
    expect(seen.rows).toEqual(Array.from({ length: 3 }, () => ({ state: 'Running', ready: true })));
    const operations = `SELECT state, jsonb_array_length(steps) AS rungs FROM operations WHERE cluster_id = $1`;
    const read = async (): Promise<unknown> => (await sql.query(operations, [id])).rows[0];
    await eventually(
      'the operation is done',
      async () => ((await read()) as { state: string }).state === 'Succeeded',
    );
    expect(await read()).toEqual({ state: 'Succeeded', rungs: 7 });

    await sql.query('UPDATE clusters SET delete_requested_at = now() WHERE id = $1', [id]);
    await operate(id, 'delete');
    await eventually('gone', async () => (await look(id)) === undefined, LIMIT_MS);
    for (const table of [
      'machines',
      'machine_requests',
      'machine_request_sets',
      'machine_sets',
      'cluster_machines',
      'secrets',
      'step_journal',
      'config_patches',
    ]) {
      const { rows } = await sql.query<{ left: number }>(
        `SELECT count(*)::int AS left FROM ${table} WHERE cluster_id = $1`,
        [id],
      );
      expect({ table, left: rows[0]?.left }).toEqual({ table, left: 0 });
    }
    expect(cloud.list('lab')).toEqual([]);
    expect([...discoveryIds].map((discoveryId) => cloud.discovery.list(discoveryId).length)).toEqual([0]);
    const deletion = await sql.query(
      `SELECT state FROM operations WHERE cluster_id = $1 AND kind = 'delete'`,
      [id],
    );
    expect(deletion.rows).toEqual([{ state: 'Succeeded' }]);
  },
  3 * LIMIT_MS,
);

test(
  'a machine that refuses its config holds nobody up, says why, and takes a mended one',
  async () => {
    const id = await create('refused', 1, async (setId, clusterId) => {
      const bad = 'machine: {kubelet: {nodeIP: {validSubnets: [not-a-cidr]}}}';
      const workers = `jsonb_build_array((spec -> 'controlPlane') || '{"name": "spare"}')`;
      await sql.query(`UPDATE clusters SET spec = jsonb_set(spec, '{workers}', ${workers}) WHERE id = $1`, [
        clusterId,
      ]);
      await sql.query(
        `INSERT INTO machine_sets (id, tenant_id, cluster_id, name, role, source_kind, source, replicas)
         VALUES ($1, $2, $3, 'spare', 'worker', 'managed', '{"kind":"managed","provider":"default","size":"m"}', 1)`,
        [setId, TENANT, clusterId],
      );
      await sql.query(
        `INSERT INTO config_patches (id, tenant_id, cluster_id, machine_set_id, name, weight, origin, content)
         VALUES ($1, $2, $3, $4, 'bad', 200, 'tenant', $5)`,
        [newId(), TENANT, clusterId, setId, bad],
      );
    });
    // The control plane comes up although a worker's config is refused.
    await eventually('Ready', async () => (await look(id))?.state === 'Ready', LIMIT_MS);
    const told = 'not-a-cidr';
    await eventually('it is explained', async () => JSON.stringify((await look(id))?.explain).includes(told));
    const operation = await sql.query<{ state: string; error: unknown }>(
      `SELECT state, error FROM operations WHERE cluster_id = $1`,
      [id],
    );
    expect(operation.rows).toMatchObject([{ state: 'Failed', error: { code: 'CONFIG_REJECTED' } }]);
    expect(JSON.stringify(operation.rows)).toContain(told);

    await sql.query('DELETE FROM config_patches WHERE cluster_id = $1', [id]);
    await operate(id, 'update');
    const workers = `SELECT ready FROM cluster_machines WHERE cluster_id = $1 AND set_name = 'spare'`;
    await eventually(
      'the worker runs',
      async () => (await sql.query<{ ready: boolean }>(workers, [id])).rows[0]?.ready === true,
      LIMIT_MS,
    );
    const mended = `SELECT count(*)::int AS n FROM operations WHERE cluster_id = $1 AND state = 'Succeeded'`;
    await eventually(
      'the update is done',
      async () => (await sql.query<{ n: number }>(mended, [id])).rows[0]?.n === 1,
      LIMIT_MS,
    );
  },
  3 * LIMIT_MS,
);
