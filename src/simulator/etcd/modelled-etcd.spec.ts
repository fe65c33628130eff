import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { EtcdSeat } from './etcd-engine';
import { EtcdCompactedError, EtcdConflictError, EtcdUnavailableError, type EtcdEvent } from './etcd-store';
import { ModelledEtcd } from './modelled-etcd';
import { ModelledHistory } from './modelled-history';

let dir: string;
let engine: ModelledEtcd;

beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'quorate-etcd-'));
  engine = new ModelledEtcd(path.join(dir, 'etcd'));
});
afterEach(async () => {
  await engine.close();
  rmSync(dir, { recursive: true, force: true });
});

function seat(n: number): EtcdSeat {
  return { name: `cp-${n}`, dataDir: path.join(dir, `cp-${n}`), clientPort: 2000 + n, peerPort: 3000 + n };
}

test('revisions, conflicts, and a watch that misses nothing', async () => {
  const { store } = await engine.bootstrap(seat(1));
  const events: EtcdEvent[] = [];
  const created = await store.put('/a/x', '1', 0);
  await expect(store.put('/a/x', '2', 0)).rejects.toBeInstanceOf(EtcdConflictError);
  const end = await store.watch('/a/', created, (event) => events.push(event));
  await store.put('/a/x', '2', created);
  await store.put('/b', 'elsewhere');
  const deleted = await store.delete('/a/x');
  end();
  await store.put('/a/x', 'unseen');
  expect(events.map(({ type, value }) => [type, value])).toEqual([
    ['put', '1'],
    ['put', '2'],
    ['delete', undefined],
  ]);
  expect(events.at(-1)?.modRevision).toBe(deleted);
  await expect(store.delete('/none')).resolves.toBeUndefined();
  expect((await store.list('/')).items.map(({ key }) => key)).toEqual(['/a/x', '/b']);
});

test('one learner at a time; it serves nobody before its promotion', async () => {
  const first = await engine.bootstrap(seat(1));
  const second = await engine.join(seat(2), first);
  await expect(engine.join(seat(3), first)).rejects.toMatchObject({ problem: 'too-many-learners' });
  await expect(second.store.get('x')).rejects.toBeInstanceOf(EtcdUnavailableError);
  await first.promote(second.memberId);
  await engine.join(seat(3), first);
});

test('two voters need both; the leader moves when it stops; removals keep the quorum', async () => {
  const first = await engine.bootstrap(seat(1));
  const others = [];
  for (const n of [2, 3]) {
    const member = await engine.join(seat(n), first);
    await first.promote(member.memberId);
    others.push(member);
  }
  await first.stop('kill');
  const [second, third] = others;
  expect((await second!.status()).leader).toBe(second!.memberId);
  await expect(second!.remove(third!.memberId)).rejects.toMatchObject({ problem: 'unhealthy' });
  await third!.stop('kill');
  await expect(second!.store.put('x', '1')).rejects.toBeInstanceOf(EtcdUnavailableError);
  const again = await engine.restart(seat(1));
  await second!.store.put('x', '1');
  await expect(again.store.get('x')).resolves.toMatchObject({ value: '1' });
  await second!.remove(third!.memberId);
  await expect(engine.restart(seat(3))).rejects.toMatchObject({ problem: 'removed' });
});

test('a journal cut off in the middle of a line keeps all that was acknowledged', async () => {
  const file = path.join(dir, 'journal.jsonl');
  const before = new ModelledHistory(file);
  before.put('a', '1');
  const revision = before.put('b', '2');
  before.close();
  appendFileSync(file, '{"r":9,"k":"c","v"');
  const after = new ModelledHistory(file);
  expect(after.list('')).toEqual([
    { key: 'a', value: '1', modRevision: revision - 1 },
    { key: 'b', value: '2', modRevision: revision },
  ]);
  expect(after.put('c', '3')).toBe(revision + 1);
  after.close();
  // The second start reads a snapshot: what happened before it can no longer be watched.
  const last = new ModelledHistory(file);
  last.close();
  const snapshot = new ModelledHistory(file);
  expect(() => snapshot.watch('', revision, () => undefined)).toThrow(EtcdCompactedError);
  snapshot.close();
});
