import { DomainError } from '../../src/domain/shared/errors';
import { systemClientOf } from '../../src/infrastructure/prisma/reconcile-fenced-writes';
import { SLOW_RESYNC_MS } from '../../src/reconcile/runtime/backoff';
import { FencedOut, type Lease } from '../../src/reconcile/runtime/lease';
import {
  createReconcileWorld,
  eventually,
  FakeReconciler,
  plan,
  step,
  type ReconcileWorld,
} from '../support/reconcile-world';

interface JournalRow {
  type: string;
  outcome: string | null;
  error: string | null;
}

jest.setTimeout(30_000);

describe('reconcile loop', () => {
  let world: ReconcileWorld;
  let tenant: string;
  beforeAll(async () => {
    world = await createReconcileWorld();
    tenant = await world.tenant();
  });
  afterAll(() => world.close());

  const journalOf = (id: string) =>
    world.sql<JournalRow>(
      'SELECT type, outcome, error FROM step_journal WHERE cluster_id = $1 ORDER BY started_at, id',
      [id],
    );

  /** A promise that a test opens when it wants. */
  function gate() {
    let open = (): void => undefined;
    const passed = new Promise<void>((resolve) => (open = resolve));
    return { passed, open };
  }

  /** Starts a pass that stands in `observe` until its gate opens. */
  async function standing(key: string, options: { leaseMs?: number } = {}) {
    const reconciler = new FakeReconciler();
    const { passed, open } = gate();
    let lease: Lease | undefined;
    reconciler.onObserve = (_id, held) => {
      lease = held;
      return passed;
    };
    const ended = world.loop({ reconciler }, options).run(key);
    const held = await eventually('the pass stands in observe', () => lease);
    return { reconciler, lease: held, open, ended };
  }

  test('two loops and one key: one works, the other finds it busy', async () => {
    const { key } = await world.cluster(tenant);
    const first = await standing(key);
    const other = new FakeReconciler();
    expect(await world.loop({ reconciler: other }).run(key)).toBe('busy');
    first.open();
    expect(await first.ended).toBe('settled');
    expect(other.observed).toEqual([]);
  });

  test('never two at once, whatever comes in', async () => {
    const { id, key } = await world.cluster(tenant);
    let inside = 0;
    let most = 0;
    const reconciler = new FakeReconciler();
    reconciler.onObserve = async () => {
      most = Math.max(most, (inside += 1));
      await world.sql('SELECT 1');
      inside -= 1;
    };
    const loops = [0, 1, 2, 3].map(() => world.loop({ reconciler }));
    for (let round = 0; round < 10; round += 1) {
      await world.sql('UPDATE reconcile_keys SET due_at = now() WHERE key = $1', [key]);
      await Promise.all(loops.map((loop) => loop.run(key)));
    }
    expect(most).toBe(1);
    expect(reconciler.observed.length).toBeGreaterThanOrEqual(10);
    expect(reconciler.observed.every((seen) => seen === id)).toBe(true);
  });

  test('a dead owner is replaced after its lease, with a higher fence, and can write nothing more', async () => {
    const { id, key } = await world.cluster(tenant);
    const dead = await world.leases.acquire(key, 'dead', 100);
    if (dead.is !== 'acquired') {
      throw new Error(dead.is);
    }
    await world.journal.begin(dead.lease, step('ApplyConfig'));
    const heir = new FakeReconciler();
    let heirs: Lease | undefined;
    heir.onObserve = (_id, lease) => {
      heirs = lease;
      return Promise.resolve();
    };
    await eventually(
      'the takeover',
      async () => (await world.loop({ reconciler: heir }).run(key)) === 'settled',
    );
    expect(heirs?.fence).toBe(dead.lease.fence + 1n);
    expect(await journalOf(id)).toEqual([{ type: 'ApplyConfig', outcome: 'abandoned', error: null }]);

    const late = world.writes.run(dead.lease, (tx) =>
      systemClientOf(tx).cluster.update({ where: { id }, data: { state: 'Late' } }),
    );
    await expect(late).rejects.toThrow(FencedOut);
    await expect(world.journal.begin(dead.lease, step('Reset'))).rejects.toThrow(FencedOut);
    await expect(
      world.leases.release(dead.lease, { dueInMs: 0, failures: 0, lastError: undefined }),
    ).rejects.toThrow(FencedOut);
    expect(await world.leases.extend(dead.lease, 1000)).toBe(false);
    const [row] = await world.sql<{ state: string }>('SELECT state FROM clusters WHERE id = $1', [id]);
    expect(row?.state).toBe('Pending');
  });

  test('a takeover does not overtake a write in flight; hints and heartbeats do not wait for it', async () => {
    const { id, key } = await world.cluster(tenant);
    const slow = await world.leases.acquire(key, 'slow', 1);
    if (slow.is !== 'acquired') {
      throw new Error(slow.is);
    }
    const { passed, open } = gate();
    let writing = false;
    const write = world.writes.run(slow.lease, async (tx) => {
      await systemClientOf(tx).cluster.update({ where: { id }, data: { state: 'Written' } });
      writing = true;
      await passed;
    });
    await eventually('the write stands', () => writing);
    expect(await world.leases.extend(slow.lease, 1)).toBe(true);
    await world.sql('UPDATE reconcile_keys SET due_at = now() WHERE key = $1', [key]);
    await eventually(
      'the lease runs out',
      async () =>
        (await world.sql('SELECT 1 FROM reconcile_keys WHERE key = $1 AND lease_expires_at < now()', [key]))
          .length === 1,
    );
    expect((await world.leases.acquire(key, 'heir', 1000)).is).toBe('busy');
    open();
    await write;
    expect(await world.leases.acquire(key, 'heir', 1000)).toMatchObject({ is: 'acquired', takenOver: true });
  });

  test('the heartbeat keeps a long pass alive', async () => {
    const { key } = await world.cluster(tenant);
    const long = await standing(key, { leaseMs: 300 });
    const end = performance.now() + 900;
    await eventually('three leases later', () => performance.now() > end);
    expect(await world.loop({ reconciler: new FakeReconciler() }).run(key)).toBe('busy');
    long.open();
    expect(await long.ended).toBe('settled');
  });

  test('a pass that lost its lease stops silently', async () => {
    const { id, key } = await world.cluster(tenant);
    const reconciler = new FakeReconciler();
    reconciler.plans = [plan({ steps: [step('First'), step('Second')] })];
    reconciler.onStatus = async () => {
      await world.sql(`UPDATE reconcile_keys SET owner = 'other', fence = fence + 1 WHERE key = $1`, [key]);
    };
    expect(await world.loop({ reconciler }).run(key)).toBe('fenced-out');
    expect(reconciler.executed).toEqual([]);
    expect(await journalOf(id)).toEqual([]);
    expect(await world.metrics.registry.metrics()).toMatch(/quorate_fenced_out_total\{kind="cluster"\} 1/);
  });

  test('a hint during the pass wins over the release', async () => {
    const { key } = await world.cluster(tenant);
    const hinted: string[] = [];
    const reconciler = new FakeReconciler();
    reconciler.onObserve = async () => {
      await world.sql(
        `UPDATE reconcile_keys SET due_at = greatest(clock_timestamp(), started_at + interval '1 microsecond') WHERE key = $1`,
        [key],
      );
    };
    const queue = {
      hint: (keys: readonly string[]) => Promise.resolve(void hinted.push(...keys)),
      wake: () => Promise.resolve(),
    };
    expect(await world.loop({ reconciler, queue }).run(key)).toBe('settled');
    expect(hinted).toEqual([key]);
    expect((await world.keyRow(key))?.due_in_ms).toBeLessThanOrEqual(0);
  });

  test('a settled object sleeps about an hour, without a timer', async () => {
    const { key } = await world.cluster(tenant);
    let wakes = 0;
    const queue = { hint: () => Promise.resolve(), wake: () => Promise.resolve(void (wakes += 1)) };
    const loop = world.loop({ reconciler: new FakeReconciler(), queue });
    expect(await loop.run(key)).toBe('settled');
    const row = await world.keyRow(key);
    expect(row).toMatchObject({ owner: null, failures: 0, last_error: null });
    expect(Math.abs((row?.due_in_ms ?? 0) - SLOW_RESYNC_MS)).toBeLessThan(10_000);
    expect(await loop.run(key)).toBe('not-due');
    expect(wakes).toBe(0);
  });

  test('steps: free ones in order, one disruptive one, and then a new pass', async () => {
    const { id, key } = await world.cluster(tenant);
    const reconciler = new FakeReconciler();
    const disruptive = { disruptive: true };
    reconciler.plans = [
      plan({
        steps: [step('A'), step('B'), step('Reboot', disruptive), step('C'), step('Reset', disruptive)],
      }),
    ];
    expect(await world.loop({ reconciler }).run(key)).toBe('requeued');
    expect(reconciler.executed).toEqual(['A', 'B', 'Reboot']);
    expect((await journalOf(id)).map((row) => [row.type, row.outcome])).toEqual([
      ['A', 'done'],
      ['B', 'done'],
      ['Reboot', 'done'],
    ]);
    expect((await world.keyRow(key))?.due_in_ms).toBeLessThan(1000);
  });

  test('free steps that say so run together, and are observed again in the same pass', async () => {
    const { key } = await world.cluster(tenant);
    const reconciler = new FakeReconciler();
    const { passed, open } = gate();
    let inside = 0;
    reconciler.onExecute = () => {
      inside += 1;
      if (inside === 3) {
        open();
      }
      return passed;
    };
    const together = { parallel: true };
    reconciler.plans = [plan({ steps: [step('A', together), step('B', together), step('C', together)] })];
    expect(await world.loop({ reconciler }).run(key)).toBe('settled');
    expect(reconciler.observed).toHaveLength(2);
  });

  test('the journal has the row before the effect', async () => {
    const { id, key } = await world.cluster(tenant);
    const reconciler = new FakeReconciler();
    const seen: unknown[] = [];
    reconciler.plans = [plan({ steps: [step('ApplyConfig', { deadlineMs: 60_000 })] })];
    reconciler.onExecute = async () => {
      seen.push(
        ...(await world.sql(
          `SELECT type, outcome, finished_at, fence::int, owner, extract(epoch FROM deadline_at - started_at)::int AS seconds
           FROM step_journal WHERE cluster_id = $1`,
          [id],
        )),
      );
    };
    await world.loop({ reconciler }, { owner: 'me' }).run(key);
    expect(seen).toEqual([
      { type: 'ApplyConfig', outcome: null, finished_at: null, fence: 1, owner: 'me', seconds: 60 },
    ]);
  });

  test('a failure backs off, says why, and is forgotten after a success', async () => {
    const { id, key } = await world.cluster(tenant);
    const reconciler = new FakeReconciler();
    const loop = world.loop({ reconciler });
    const wanted = plan({ steps: [step('Reach'), step('Never')] });
    reconciler.onExecute = () => Promise.reject(new DomainError('unavailable', 'AGENT_OFFLINE', 'no answer'));
    for (const [failures, delay] of [
      [1, 750],
      [2, 1500],
      [3, 3000],
    ] as const) {
      reconciler.plans = [wanted];
      await world.sql('UPDATE reconcile_keys SET due_at = now() WHERE key = $1', [key]);
      expect(await loop.run(key)).toBe('failed');
      const row = await world.keyRow(key);
      expect(row).toMatchObject({ failures, last_error: 'AGENT_OFFLINE: no answer', owner: null });
      expect(Math.abs((row?.due_in_ms ?? 0) - delay)).toBeLessThan(500);
    }
    expect(reconciler.executed).toEqual(['Reach', 'Reach', 'Reach']);
    expect((await journalOf(id)).map((row) => row.outcome)).toEqual(['failed', 'failed', 'failed']);
    await world.sql('UPDATE reconcile_keys SET due_at = now() WHERE key = $1', [key]);
    expect(await loop.run(key)).toBe('settled');
    expect(await world.keyRow(key)).toMatchObject({ failures: 0, last_error: null });
  });

  test('a lost race is observed again at once and is no failure', async () => {
    const { key } = await world.cluster(tenant);
    const reconciler = new FakeReconciler();
    reconciler.plans = [plan({ steps: [step('Write')] })];
    reconciler.onExecute = () => Promise.reject(new DomainError('stale', 'STALE', 'row changed'));
    expect(await world.loop({ reconciler }).run(key)).toBe('settled');
    expect(reconciler.observed).toHaveLength(2);
  });

  test('a step past its deadline fails, and what it still does is refused', async () => {
    const { id, key } = await world.cluster(tenant);
    const reconciler = new FakeReconciler();
    const { passed, open } = gate();
    let late: Promise<unknown> | undefined;
    reconciler.plans = [plan({ steps: [step('Hang', { deadlineMs: 50 })] })];
    reconciler.onExecute = async (_step, lease) => {
      await passed;
      late = world.writes.run(lease, () => Promise.resolve());
      await late.catch(() => undefined);
    };
    expect(await world.loop({ reconciler }).run(key)).toBe('failed');
    expect(await journalOf(id)).toEqual([
      { type: 'Hang', outcome: 'failed', error: expect.stringContaining('STEP_TIMED_OUT') },
    ]);
    open();
    await expect(eventually('the late write', () => late).then((write) => write)).rejects.toThrow(FencedOut);
  });

  test('a planner that never settles gives the slot back', async () => {
    const { id, key } = await world.cluster(tenant);
    const reconciler = new FakeReconciler();
    reconciler.plan = () => plan({ steps: [step('Again')] });
    expect(await world.loop({ reconciler }, { maxRounds: 3, journalKeep: 2 }).run(key)).toBe('requeued');
    expect(reconciler.executed).toHaveLength(3);
    expect(await journalOf(id)).toHaveLength(2);
  });

  test('an object that is gone takes its key along', async () => {
    const { id, key } = await world.cluster(tenant);
    const reconciler = new FakeReconciler();
    reconciler.gone.add(id);
    expect(await world.loop({ reconciler }).run(key)).toBe('gone');
    expect(await world.keyRow(key)).toBeUndefined();
    expect(await world.loop({ reconciler }).run(key)).toBe('missing');
  });

  test('a pass with nothing to do costs two statements', async () => {
    const { key } = await world.cluster(tenant);
    let statements = 0;
    const counted = new Proxy(world.leases, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function'
          ? (...args: unknown[]) => ((statements += 1), Reflect.apply(member, target, args))
          : member;
      },
    });
    await world.loop({ reconciler: new FakeReconciler(), leases: counted }).run(key);
    expect(statements).toBe(2);
  });
});
