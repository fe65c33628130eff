import { Client } from 'pg';
import { OutboxRelay, RELAY_TIMES, type RelayTimes } from '../../src/infrastructure/prisma/outbox-relay';
import { ReconcileLeader } from '../../src/infrastructure/prisma/reconcile-leader';
import { createReconcileWorld, eventually, silent, type ReconcileWorld } from '../support/reconcile-world';

interface OutboxRow {
  id: string;
  seq: string | null;
}

jest.setTimeout(30_000);

describe('outbox relay', () => {
  let world: ReconcileWorld;
  let tenant: string;
  beforeEach(async () => {
    world = await createReconcileWorld();
    tenant = await world.tenant();
  });
  afterEach(() => world.close());

  const rows = () => world.sql<OutboxRow>('SELECT id, seq FROM outbox ORDER BY id');
  const published = (count: number) =>
    eventually(
      `${count} published rows`,
      async () => (await rows()).filter((row) => row.seq !== null).length === count,
    );

  async function session(): Promise<Client> {
    const client = new Client(world.database.adminUrl);
    client.on('error', () => undefined);
    await client.connect();
    world.onClose(() => client.end());
    return client;
  }

  /** A replica that wants to lead; remembers what it hinted. */
  async function replica(times: Partial<RelayTimes> = {}, hint?: (keys: readonly string[]) => Promise<void>) {
    const hints: { key: string; at: number }[] = [];
    const queue = {
      hint:
        hint ??
        (async (keys: readonly string[]) => {
          hints.push(...keys.map((key) => ({ key, at: performance.now() })));
        }),
    };
    const relay = new OutboxRelay(
      { queue, metrics: world.metrics, log: silent },
      { ...RELAY_TIMES, ...times },
    );
    const leader = new ReconcileLeader({ url: world.database.systemUrl, log: silent, retryMs: 50 }, relay);
    world.onClose(() => leader.stop());
    await leader.start();
    return { leader, hints };
  }

  test('a committed change is numbered, makes its key due, hints and notifies', async () => {
    const { key } = await world.cluster(tenant);
    await world.sql(`UPDATE reconcile_keys SET due_at = now() + interval '1 hour'`);
    const watch = await session();
    const notified: string[] = [];
    watch.on('notification', (message) => notified.push(message.payload ?? ''));
    await watch.query('LISTEN quorate_changes');
    const { hints } = await replica();
    await world.change(tenant, key);
    await eventually('the hint', () => hints.some((hint) => hint.key === key));
    expect((await world.keyRow(key))?.due_in_ms).toBeLessThanOrEqual(0);
    const [row] = await rows();
    await eventually('the notification', () => notified.length > 0);
    expect(notified).toEqual([row?.seq]);
  });

  test('from commit to hint it takes milliseconds: it listens and does not poll', async () => {
    const { key } = await world.cluster(tenant);
    const { hints } = await replica({ pollFirst: 60_000, pollLast: 60_000, sweepEvery: 60_000 });
    await eventually('the first sweep', () => hints.length > 0);
    const took: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      const before = hints.length;
      await world.change(tenant, key);
      const committed = performance.now();
      await eventually('the hint', () => hints.length > before);
      took.push((hints.at(-1)?.at ?? 0) - committed);
    }
    took.sort((a, b) => a - b);
    expect(took[10]).toBeLessThan(50);
  });

  test('a change that commits late gets a late number: nothing appears below what was read', async () => {
    await replica();
    const late = await session();
    await late.query('BEGIN');
    await world.change(tenant, null, late);
    await world.change(tenant, null);
    await published(1);
    const [, early] = await world.sql<OutboxRow>(
      'SELECT NULL AS id, NULL AS seq UNION ALL SELECT id::text, seq::text FROM outbox',
    );
    await late.query('COMMIT');
    await published(2);
    const [first, second] = await rows();
    expect(second).toEqual(early);
    expect(BigInt(first?.id ?? 0)).toBeLessThan(BigInt(second?.id ?? 0));
    expect(BigInt(first?.seq ?? 0)).toBeGreaterThan(BigInt(second?.seq ?? 0));
  });

  test('a batch is numbered in the order of its rows', async () => {
    for (let n = 0; n < 1_200; n += 100) {
      await world.sql(
        `INSERT INTO outbox (tenant_id, kind, object_id, change) SELECT $1, 'Cluster', $1, 'updated' FROM generate_series(1, 100)`,
        [tenant],
      );
    }
    await replica();
    await published(1_200);
    const seqs = (await rows()).map((row) => Number(row.seq));
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(new Set(seqs).size).toBe(1_200);
  });

  test('one leads; when its session dies the other goes on, and nothing is numbered twice', async () => {
    const one = await replica();
    const two = await replica();
    expect([one.leader.leads, two.leader.leads]).toEqual([true, false]);
    await world.change(tenant, null);
    await published(1);
    await world.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'quorate-leader'
      AND datname = current_database() AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted)`);
    await eventually('one leader again', () => one.leader.leads !== two.leader.leads);
    for (let n = 0; n < 20; n += 1) {
      await world.change(tenant, null);
    }
    await published(21);
    const seqs = (await rows()).map((row) => Number(row.seq));
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  });

  test('a leader that stops makes room', async () => {
    const one = await replica();
    const two = await replica();
    await one.leader.stop();
    await eventually('the other leads', () => two.leader.leads);
    await world.change(tenant, null);
    await published(1);
  });

  test('a key without a row is made, with the tenant of the cluster and not of the change', async () => {
    const platform = await world.tenant();
    const { key } = await world.cluster(tenant);
    await world.sql('DELETE FROM reconcile_keys');
    await replica();
    await eventually('the missing key, at the start of the term', () => world.keyRow(key));
    await world.sql('DELETE FROM reconcile_keys');
    await world.change(platform, key);
    await eventually('the key of the change', () => world.keyRow(key));
    const [row] = await world.sql<{ tenant_id: string }>(
      'SELECT tenant_id FROM reconcile_keys WHERE key = $1',
      [key],
    );
    expect(row?.tenant_id).toBe(tenant);
  });

  test('keys that name nothing are published and hint nothing', async () => {
    const { hints } = await replica();
    await world.change(tenant, 'cluster:00000000-0000-7000-8000-000000000000');
    await world.change(tenant, `cluster:'; drop table outbox; --`);
    await published(2);
    expect(hints).toEqual([]);
  });

  test('a change during a pass is later than its start, so that the release sees it', async () => {
    const { key } = await world.cluster(tenant);
    const { hints } = await replica();
    await eventually('the sweep', () => hints.length > 0);
    const taken = await world.leases.acquire(key, 'me', 60_000);
    if (taken.is !== 'acquired') {
      throw new Error(taken.is);
    }
    await world.change(tenant, key);
    await published(1);
    expect(
      await world.leases.release(taken.lease, { dueInMs: 60_000, failures: 0, lastError: undefined }),
    ).toBeLessThanOrEqual(0);
  });

  test('a queue that is away holds up no watch, and the sweep repeats the hint', async () => {
    const { key } = await world.cluster(tenant);
    let away = true;
    const heard: string[] = [];
    await replica({ sweepEvery: 100 }, (keys) => {
      if (away) {
        return Promise.reject(new Error('no queue'));
      }
      heard.push(...keys);
      return Promise.resolve();
    });
    await world.change(tenant, key);
    await published(1);
    away = false;
    await eventually('the sweep', () => heard.includes(key));
  });

  test('old rows are pruned and it stays known up to where', async () => {
    await world.sql(
      `INSERT INTO outbox (tenant_id, kind, object_id, change) SELECT $1, 'Cluster', $1, 'updated' FROM generate_series(1, 10)`,
      [tenant],
    );
    await replica({ pruneEvery: 50, pollFirst: 20, pollLast: 20 });
    await published(10);
    await world.sql(`UPDATE outbox SET published_at = now() - interval '2 hours' WHERE seq <= 7`);
    await eventually('the pruning', async () => (await rows()).length === 3);
    const app = new Client(world.database.appUrl);
    await app.connect();
    const { rows: told } = await app.query<{ last_value: string }>(
      'SELECT last_value FROM outbox_pruned_seq',
    );
    await app.end();
    expect(told[0]?.last_value).toBe('7');
  });
});
