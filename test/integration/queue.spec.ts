/** The same on both backends: PostgreSQL by default, Redis with TEST_REDIS_URL. */
import { Client } from 'pg';
import type { BullmqReconcileQueue } from '../../src/infrastructure/bullmq/bullmq-reconcile-queue';
import { dueKeys } from '../../src/infrastructure/prisma/reconcile-sweep';
import { newId } from '../../src/platform/ids';
import { ReconcileWorker } from '../../src/reconcile/runtime/reconcile-worker';
import {
  createReconcileWorld,
  eventually,
  FakeReconciler,
  plan,
  silent,
  type ReconcileWorld,
} from '../support/reconcile-world';

jest.setTimeout(30_000);

describe(`reconcile queue on ${process.env['TEST_REDIS_URL'] === undefined ? 'PostgreSQL' : 'Redis'}`, () => {
  let world: ReconcileWorld;
  let sweeper: Client;
  beforeAll(async () => {
    world = await createReconcileWorld();
    sweeper = new Client(world.database.systemUrl);
    sweeper.on('error', () => undefined);
    await sweeper.connect();
    world.onClose(() => sweeper.end());
  });
  afterAll(() => world.close());

  /** A replica: worker, loop and queue. */
  async function replica(
    queue: BullmqReconcileQueue,
    slots = 4,
    reconciler = new FakeReconciler(),
    quietMs?: number,
  ) {
    const loop = world.loop({ reconciler, queue }, { leaseMs: 2_000 });
    const worker = new ReconcileWorker({ queue, leases: world.leases, loop, log: silent }, slots, quietMs);
    await worker.start();
    return { reconciler, worker };
  }

  const makeDue = (key: string) =>
    world.sql(
      `UPDATE reconcile_keys SET due_at = greatest(clock_timestamp(), started_at + interval '1 microsecond') WHERE key = $1`,
      [key],
    );

  test('a hint runs the key within milliseconds', async () => {
    const { id, key } = await world.cluster(await world.tenant());
    const queue = await world.queue();
    const { reconciler } = await replica(queue);
    await queue.hint([key]);
    await eventually('the pass', () => reconciler.observed.includes(id));
    await eventually('the release', async () => ((await world.keyRow(key))?.due_in_ms ?? 0) > 60_000);
  });

  test('hints during a run make exactly one more', async () => {
    const { id, key } = await world.cluster(await world.tenant());
    const queue = await world.queue();
    const reconciler = new FakeReconciler();
    let hinted = false;
    reconciler.onObserve = async () => {
      if (!hinted) {
        hinted = true;
        await makeDue(key);
        await queue.hint([key]);
        await queue.hint([key]);
        await queue.hint([key]);
      }
    };
    await replica(queue, 4, reconciler);
    await queue.hint([key]);
    await eventually(
      'the second pass',
      async () => reconciler.observed.length >= 2 && ((await world.keyRow(key))?.due_in_ms ?? 0) > 60_000,
    );
    expect(reconciler.observed).toEqual([id, id]);
  });

  test('a wake-up comes on time, again and again, and a hint does not wait for it', async () => {
    const { key } = await world.cluster(await world.tenant());
    const queue = await world.queue();
    const reconciler = new FakeReconciler();
    const times: number[] = [];
    reconciler.onObserve = () => Promise.resolve(void times.push(performance.now()));
    const again = plan({ requeueAfterMs: 300 });
    reconciler.plans = [
      again,
      again,
      again,
      plan({ requeueAfterMs: 60_000 }),
      plan({ requeueAfterMs: 60_000 }),
    ];
    await replica(queue, 4, reconciler);
    await queue.hint([key]);
    await eventually('three wake-ups', () => times.length >= 4);
    for (const [index, time] of times.slice(1, 4).entries()) {
      const waited = time - (times[index] ?? 0);
      expect(waited).toBeGreaterThan(240);
      expect(waited).toBeLessThan(2_000);
    }
    await eventually('the release', async () => ((await world.keyRow(key))?.due_in_ms ?? 0) > 10_000);
    await makeDue(key);
    await queue.hint([key]);
    await eventually('the hinted pass', () => times.length === 5, 5_000);
  });

  test('two replicas and many hints: every key runs, none twice at a time', async () => {
    const tenant = await world.tenant();
    const keys = await Promise.all(Array.from({ length: 20 }, async () => (await world.cluster(tenant)).key));
    const name = `q${newId()}`;
    const inside = new Set<string>();
    let doubled = false;
    const reconciler = new FakeReconciler();
    reconciler.onObserve = async (id) => {
      doubled ||= inside.has(id);
      inside.add(id);
      await world.sql('SELECT pg_sleep(0.005)');
      inside.delete(id);
    };
    const [one, two] = [await world.queue(4, name), await world.queue(4, name)];
    await replica(one, 4, reconciler);
    await replica(two, 4, reconciler);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(keys.map(makeDue));
      await Promise.all([one.hint(keys), two.hint(keys)]);
    }
    await eventually('all are settled', async () => {
      const rows = await Promise.all(keys.map((key) => world.keyRow(key)));
      return rows.every((row) => row?.owner === null && row.due_in_ms > 60_000);
    });
    expect(doubled).toBe(false);
    expect(new Set(reconciler.observed).size).toBe(20);
  });

  test('a queue that lost everything is filled again by the sweep', async () => {
    const tenant = await world.tenant();
    const { id, key } = await world.cluster(tenant);
    const held = await world.cluster(tenant);
    await world.leases.acquire(held.key, 'alive', 60_000);
    const queue = await world.queue(4); // an empty one: nothing was ever sent to it
    const { reconciler } = await replica(queue);
    const due = await dueKeys(sweeper);
    expect(due).toContain(key);
    expect(due).not.toContain(held.key);
    await queue.hint(due);
    await eventually('the pass', () => reconciler.observed.includes(id));
  });

  test('the sweep takes one key of each tenant before the second of any', async () => {
    await world.sql(`UPDATE reconcile_keys SET due_at = now() + interval '1 hour'`);
    const [crowd, single] = [await world.tenant(), await world.tenant()];
    const crowded = new Set<string>();
    for (let n = 0; n < 10; n += 1) {
      crowded.add((await world.cluster(crowd)).key);
    }
    const { key } = await world.cluster(single);
    const due = await dueKeys(sweeper);
    expect(due).toHaveLength(11);
    expect(due.indexOf(key)).toBeLessThan(2);
    expect(due.slice(2).every((other) => crowded.has(other))).toBe(true);
  });

  test('a crowd of one tenant holds up nobody, and has all slots when it is alone', async () => {
    const [crowd, single] = [await world.tenant(), await world.tenant()];
    const crowded = await Promise.all(Array.from({ length: 40 }, () => world.cluster(crowd)));
    const guest = await world.cluster(single);
    const ids = new Set(crowded.map((cluster) => cluster.id));
    const queue = await world.queue(4);
    const reconciler = new FakeReconciler();
    const waiting: (() => void)[] = [];
    const inside = new Set<string>();
    let open = false;
    reconciler.onObserve = async (id) => {
      inside.add(id);
      if (!open && ids.has(id)) {
        await new Promise<void>((go) => waiting.push(go));
      }
      inside.delete(id);
    };
    await queue.hint(crowded.map((cluster) => cluster.key));
    await queue.hint([guest.key]);
    await replica(queue, 4, reconciler, 1_000);
    try {
      // Nothing of the crowd ends, so only a slot that it may not take can run the guest.
      await eventually('the guest', () => reconciler.observed.includes(guest.id));
      await eventually('all four slots', () => inside.size === 4);
    } finally {
      open = true; // or the worker could not be closed
      waiting.forEach((go) => go());
    }
    await eventually('the whole crowd', () =>
      crowded.every((cluster) => reconciler.observed.includes(cluster.id)),
    );
  });

  test('closing waits for what runs', async () => {
    const { key } = await world.cluster(await world.tenant());
    const queue = await world.queue();
    const reconciler = new FakeReconciler();
    let go = (): void => undefined;
    reconciler.onObserve = () => new Promise<void>((resolve) => (go = resolve));
    const { worker } = await replica(queue, 4, reconciler);
    await queue.hint([key]);
    await eventually('the pass stands', () => reconciler.observed.length === 1);
    let closed = false;
    const closing = worker.stop().then(() => (closed = true));
    await world.sql('SELECT pg_sleep(0.1)');
    expect(closed).toBe(false);
    go();
    await closing;
    expect(await world.keyRow(key)).toMatchObject({ owner: null, failures: 0 });
  });

  test('finished jobs leave nothing behind', async () => {
    if (process.env['TEST_REDIS_URL'] === undefined) {
      const [rows] = await world.sql<{ jobs: number }>(
        `SELECT count(*)::int AS jobs FROM bullmq.job WHERE state IN ('completed', 'failed')`,
      );
      expect(rows?.jobs).toBe(0);
    }
  });
});
