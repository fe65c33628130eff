import type { AddressInfo } from 'node:net';
import { createTestApi, type TestApi } from '../support/api';
import { EventStream, type ReceivedFrame } from '../support/event-stream';

const template = (name: string, label = 'a'): string => `kind: Cluster
name: ${name}
labels:
  l: ${label}
kubernetes:
  version: v1.31.1
talos:
  version: v1.8.2
---
kind: ControlPlane
managed:
  enabled: true
  provider: default
  size: xs
`;

jest.setTimeout(20_000); // the database may be shared with a busy machine

describe('watch', () => {
  let api: TestApi;
  let base: string;
  let token: string;
  const streams: EventStream[] = [];
  beforeAll(async () => {
    api = await createTestApi();
    await api.app.listen(0, '127.0.0.1');
    base = `http://127.0.0.1:${(api.app.getHttpServer().address() as AddressInfo).port}/api/v1`;
    token = await api.token('acme', 'operator');
  }, 60_000);
  afterEach(() => streams.splice(0).forEach((stream) => stream.close()));
  afterAll(() => api.close());

  const watch = (query = '', tenant = 'acme'): EventStream => {
    const stream = new EventStream(`${base}/tenants/${tenant}/watch${query}`);
    streams.push(stream);
    return stream;
  };
  const sync = async (
    name: string,
    label?: string,
    tenant: 'acme' | 'globex' = 'acme',
    as = token,
  ): Promise<void> => {
    const answer = await api.send('POST', `tenants/${tenant}/templates:sync`, {
      token: as,
      body: { template: template(name, label) },
    });
    expect(answer.status).toBe(202);
    await api.publish();
  };
  const isBookmark = (frame: ReceivedFrame): boolean => frame.event === 'BOOKMARK';
  const about =
    (type: string, kind: string) =>
    (frame: ReceivedFrame): boolean =>
      frame.event === type && frame.data.kind === kind;

  test('begins with what is there, then tells each change with the object as a GET shows it', async () => {
    await sync('present');
    const stream = watch('?kinds=Cluster,Operation');
    const response = await stream.open(token);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const start = await stream.until(isBookmark);
    expect(start.map((f) => [f.event, f.data.kind, f.data.object?.name ?? f.data.object?.cluster])).toEqual([
      ['ADDED', 'Cluster', 'present'],
      ['ADDED', 'Operation', 'present'],
      ['BOOKMARK', undefined, undefined],
    ]);
    await sync('present', 'b');
    const frames = await stream.until(about('MODIFIED', 'Cluster'));
    const shown = await api.send('GET', 'tenants/acme/clusters/present', { token });
    expect(frames.at(-1)?.data.object).toEqual(shown.body);
  });

  test('resumes after the last frame that was seen, without a gap and without repeats', async () => {
    const first = watch('?kinds=Cluster');
    await first.open(token);
    await first.until(isBookmark);
    await sync('one');
    const seen = (await first.until(about('ADDED', 'Cluster'))).at(-1);
    first.close();
    await sync('two');
    await sync('three');
    const second = watch('?kinds=Cluster');
    await second.open(token, seen?.id);
    const names = [(await second.next())?.data.object.name, (await second.next())?.data.object.name];
    expect(names).toEqual(['two', 'three']);
  });

  test('tells nothing of another tenant, and its tokens do not fit there', async () => {
    const other = await api.token('globex', 'operator');
    const stream = watch('?kinds=Cluster');
    await stream.open(token);
    const bookmark = (await stream.until(isBookmark)).at(-1);
    await sync('of-globex', 'a', 'globex', other);
    await sync('of-acme');
    const frames = await stream.until(about('ADDED', 'Cluster'));
    expect(frames.map((f) => f.data.object.name)).toEqual(['of-acme']);
    expect(bookmark?.id).not.toMatch(/^\d+$/);
    const refused = await watch('', 'globex').open(other, bookmark?.id);
    expect([
      refused.status,
      (
        (
          await api.send('GET', 'tenants/globex/watch', {
            token: other,
            headers: { 'last-event-id': String(bookmark?.id) },
          })
        ).body as { code: string }
      ).code,
    ]).toEqual([400, 'RESUME_TOKEN_INVALID']);
  });

  test('answers 410 when the changes since then are no longer kept', async () => {
    const stream = watch('?kinds=Cluster');
    await stream.open(token);
    const id = (await stream.until(isBookmark)).at(-1)?.id;
    await sync('pruned');
    await stream.until(about('ADDED', 'Cluster'));
    await api.sql.query(`SELECT setval('outbox_pruned_seq', (SELECT max(seq) FROM outbox))`);
    const response = await watch('?kinds=Cluster').open(token, id);
    expect(response.status).toBe(410);
  });

  test('ends with an error frame when the token is revoked', async () => {
    const doomed = await api.token('acme', 'viewer');
    const stream = watch('?kinds=Cluster');
    await stream.open(doomed);
    await stream.until(isBookmark);
    await api.sql.query(`UPDATE api_tokens SET revoked_at = now() WHERE role = 'viewer'`);
    await sync('unseen');
    const last = (await stream.until((frame) => frame.event === 'ERROR')).at(-1);
    expect(last?.data.object).toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
    expect(await stream.next()).toBeUndefined();
  });

  test('a viewer may not watch tokens; an admin sees them made', async () => {
    const viewer = await api.token('acme', 'viewer');
    expect((await watch('?kinds=Token').open(viewer)).status).toBe(403);
    const admin = await api.token('acme', 'admin');
    const stream = watch('?kinds=Token');
    await stream.open(admin);
    await stream.until(isBookmark);
    const made = await api.send('POST', 'tenants/acme/tokens', {
      token: admin,
      body: { name: 'watched', role: 'viewer' },
    });
    await api.publish();
    const frame = (await stream.until(about('ADDED', 'Token'))).at(-1);
    expect(frame?.data.object.name).toBe('watched');
    expect(JSON.stringify(frame?.data)).not.toContain(made.body.token);
  });

  test('holds at most twenty watches of one token', async () => {
    const busy = await api.token('acme', 'viewer');
    const responses = [];
    for (let i = 0; i < 21; i += 1) {
      responses.push(await watch('?kinds=Cluster').open(busy));
    }
    expect(responses.map((r) => r.status)).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
  }, 20_000);
});
