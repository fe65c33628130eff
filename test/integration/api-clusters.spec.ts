import { createTestApi, HIDDEN_PROVIDER, type Answered, type TestApi } from '../support/api';

const managed = (name: string, extra = ''): string => `kind: Cluster
name: ${name}
kubernetes:
  version: v1.31.1
talos:
  version: v1.8.2
${extra}---
kind: ControlPlane
managed:
  enabled: true
  provider: default
  size: m
---
kind: Workers
machines: []
`;

jest.setTimeout(20_000); // the database may be shared with a busy machine

describe('templates and clusters', () => {
  let api: TestApi;
  let operator: string;
  let viewer: string;
  beforeAll(async () => {
    api = await createTestApi();
    operator = await api.token('acme', 'operator');
    viewer = await api.token('acme', 'viewer');
  }, 60_000);
  afterAll(() => api.close());

  const sync = (template: string, query = '', headers: Record<string, string> = {}): Promise<Answered> =>
    api.send('POST', `tenants/acme/templates:sync${query}`, {
      token: operator,
      body: { template, fileName: 'demo.yaml' },
      headers,
    });
  const get = (path: string): Promise<Answered> => api.send('GET', `tenants/acme/${path}`, { token: viewer });
  const rows = async (table: string, name: string): Promise<Record<string, unknown>[]> =>
    (
      await api.sql.query<Record<string, unknown>>(
        `SELECT x.* FROM ${table} x JOIN clusters c ON c.id = x.cluster_id WHERE c.name = $1`,
        [name],
      )
    ).rows;

  test('a sync writes the cluster, its sets, its patches, an operation, hints and an audit row', async () => {
    const patches =
      'patches:\n  - name: one\n    inline:\n      machine:\n        sysctls:\n          vm.swappiness: "10"\n';
    const answer = await sync(managed('first', patches));
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({
      kind: 'create',
      state: 'Pending',
      cluster: 'first',
      steps: [],
      error: null,
      finishedAt: null,
    });
    expect(answer.headers['location']).toBe(`/api/v1/tenants/acme/operations/${answer.body.id}`);

    const cluster = (await get('clusters/first')).body;
    expect(cluster).toMatchObject({
      name: 'first',
      managed: true,
      size: 'm',
      provider: 'default',
      talosVersion: '1.8.2',
      kubernetesVersion: '1.31.1',
      generation: 1,
      observedGeneration: 0,
    });
    expect(cluster.endpoint).toMatch(/^[a-z2-7]{16}\.clusters\.quorate\.internal$/);
    expect(
      (await rows('machine_sets', 'first')).map((s) => [s['name'], s['source_kind'], s['replicas']]),
    ).toContainEqual(['control-planes', 'managed', 3]);
    expect((await rows('config_patches', 'first')).map((p) => [p['name'], p['weight'], p['origin']])).toEqual(
      [['one', 100, 'tenant']],
    );
    const outbox = await api.sql.query<{ hint_key: string }>(
      `SELECT hint_key FROM outbox WHERE kind = 'Cluster' AND object_id = $1`,
      [cluster.id],
    );
    expect(outbox.rows).toEqual([{ hint_key: `cluster:${cluster.id}` }]);
    const audit = await api.sql.query(`SELECT action FROM audit_events WHERE object = 'cluster/first'`);
    expect(audit.rows).toEqual([{ action: 'cluster.create' }]);
  });

  test('a template that asks for what is not there is refused at its place; what has no effect yet is told', async () => {
    const before = await api.sql.query('SELECT count(*) FROM clusters');
    const unknown = await sync(
      managed('classy').replace('machines: []', 'machineClass:\n  name: nowhere\n  size: 2'),
    );
    expect(unknown.status).toBe(422);
    expect(unknown.body.errors).toEqual([
      expect.objectContaining({ code: 'MACHINE_CLASS_UNKNOWN', file: 'demo.yaml', line: 16 }),
    ]);
    const encrypted = await sync(managed('crypt', 'features:\n  diskEncryption: true\n'));
    expect(encrypted.body.errors).toEqual([expect.objectContaining({ code: 'FIELD_UNAVAILABLE', line: 8 })]);
    expect((await api.sql.query('SELECT count(*) FROM clusters')).rows).toEqual(before.rows);

    const kept = await sync(managed('proxied', 'features:\n  enableWorkloadProxy: true\n'));
    expect(kept.status).toBe(202);
    expect(kept.body.warnings).toContainEqual(
      expect.objectContaining({ code: 'FIELD_WITHOUT_EFFECT', path: 'Cluster.features.enableWorkloadProxy' }),
    );
  });

  test('an unchanged template waits for the running operation, then answers one that has succeeded', async () => {
    const first = await sync(managed('same'));
    const again = await sync(managed('same'));
    expect(again.body.id).toBe(first.body.id);
    await api.sql.query(`UPDATE operations SET state = 'Succeeded', finished_at = now() WHERE id = $1`, [
      first.body.id,
    ]);
    const settled = await sync(`# a comment\n${managed('same')}`);
    expect(settled.body).toMatchObject({ state: 'Succeeded', message: 'no change' });
    expect((await get('clusters/same')).body.generation).toBe(1);
  });

  test('a changed template supersedes what runs', async () => {
    const first = await sync(managed('moving'));
    const second = await sync(managed('moving', 'labels:\n  team: core\n'));
    expect(second.body).toMatchObject({ kind: 'update', state: 'Pending' });
    expect((await get(`operations/${first.body.id}`)).body).toMatchObject({
      state: 'Superseded',
      message: 'superseded by a newer template',
    });
    expect((await get('clusters/moving')).body).toMatchObject({ generation: 2, labels: { team: 'core' } });
  });

  test('a dry run does all checks, says what would change, and writes nothing', async () => {
    await sync(managed('dry'));
    const before = (await get('clusters/dry')).body;
    const answer = await sync(managed('dry', 'labels:\n  team: core\n'), '?dryRun=true');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      cluster: 'dry',
      action: 'update',
      changes: [{ path: 'labels.team', change: 'added', after: 'core' }],
    });
    expect((await get('clusters/dry')).body).toEqual(before);
    expect((await sync(managed('absent'), '?dryRun=true')).body.action).toBe('create');
    expect((await get('clusters/absent')).status).toBe(404);
  });

  test.each([
    {
      name: 'a provider that does not exist',
      from: 'provider: default',
      to: 'provider: nowhere',
      code: 'PROVIDER_UNKNOWN',
    },
    {
      name: 'the real name of a hidden provider',
      from: 'provider: default',
      to: `provider: ${HIDDEN_PROVIDER}`,
      code: 'PROVIDER_UNKNOWN',
    },
    { name: 'an old Talos', from: 'v1.8.2', to: 'v1.8.0', code: undefined },
    { name: 'an unknown tier', from: 'size: m', to: 'size: xxl', code: undefined },
    { name: 'an unknown field', from: 'size: m', to: 'size: m\n  colour: red', code: undefined },
  ])('refuses $name with file, line and remedy, and changes nothing', async ({ from, to, code }) => {
    const answer = await sync(managed('refused').replace(from, to));
    expect([answer.status, answer.body.code]).toEqual([422, 'TEMPLATE_INVALID']);
    expect(answer.body.errors[0]).toMatchObject({
      file: 'demo.yaml',
      line: expect.any(Number),
      reason: expect.any(String),
      remedy: expect.any(String),
      ...(code === undefined ? {} : { code }),
    });
    expect((await get('clusters/refused')).status).toBe(404);
  });

  test('the same words for a hidden provider and for none', async () => {
    const [hidden, none] = [
      await sync(managed('x').replace('provider: default', `provider: ${HIDDEN_PROVIDER}`)),
      await sync(managed('x').replace('provider: default', 'provider: nowhere')),
    ];
    const text = (answer: Answered, name: string): string =>
      JSON.stringify(answer.body.errors).replaceAll(name, 'NAME');
    expect(text(hidden, HIDDEN_PROVIDER)).toBe(text(none, 'nowhere'));
    expect(none.body.errors[0].remedy).toBe('Choose one of: default.');
  });

  test('refuses to make a managed cluster unmanaged, and to go down a version', async () => {
    await sync(managed('fixed'));
    const own = managed('fixed').replace(
      'managed:\n  enabled: true\n  provider: default\n  size: m',
      'machines:\n  - f1540412-f12e-4570-a803-1e685faf08bc',
    );
    const unmanaged = await sync(own);
    expect([unmanaged.status, unmanaged.body.code, unmanaged.body.errors[0].code]).toEqual([
      409,
      'CHANGE_REFUSED',
      'MANAGED_IMMUTABLE',
    ]);
    const down = await sync(managed('fixed').replace('v1.8.2', 'v1.8.1'), '?allowDowngrade=true');
    expect([down.status, down.body.code]).toEqual([409, 'CHANGE_REFUSED']);
    expect((await get('clusters/fixed')).body).toMatchObject({
      managed: true,
      talosVersion: '1.8.2',
      generation: 1,
    });
  });

  test('twenty syncs at once end as one cluster with one row of each set', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => sync(managed('race', `labels:\n  n: "${i % 4}"\n`))),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 20 }, () => 202));
    const cluster = (await get('clusters/race')).body;
    const sets = await rows('machine_sets', 'race');
    expect(new Set(sets.map((set) => set['name'])).size).toBe(sets.length);
    const open = (await get('operations?cluster=race&pageSize=100')).body.items.filter(
      (o: { state: string }) => o.state === 'Pending',
    );
    expect(open).toHaveLength(1);
    expect(cluster.generation).toBeGreaterThan(0);
  }, 30_000);

  test('a deletion is one operation, asked once or often; the name stays taken until it is done', async () => {
    await sync(managed('doomed'));
    const { headers } = await get('clusters/doomed');
    const remove = (ifMatch?: string): Promise<Answered> =>
      api.send('DELETE', 'tenants/acme/clusters/doomed', {
        token: operator,
        headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
      });
    expect((await remove('"9999"')).status).toBe(412);
    const first = await remove(headers['etag']);
    expect([first.status, first.body.kind]).toEqual([202, 'delete']);
    const again = await api.send('POST', 'tenants/acme/templates:delete', {
      token: operator,
      body: { template: managed('doomed') },
    });
    expect(again.body.id).toBe(first.body.id);
    expect((await get('clusters/doomed')).body.state).toBe('Deleting');
    const taken = await sync(managed('doomed'));
    expect([taken.status, taken.body.code]).toEqual([409, 'CLUSTER_DELETING']);
    await api.sql.query(`DELETE FROM clusters WHERE name = 'doomed'`);
    expect((await sync(managed('doomed'))).status).toBe(202);
  });

  test('a kubeconfig is issued when the cluster is bootstrapped, audited, and for a day at most', async () => {
    await sync(managed('ready'));
    const ask = (body: object, token = operator): Promise<Answered> =>
      api.send('POST', 'tenants/acme/clusters/ready/kubeconfig', { token, body });
    expect((await ask({})).body.code).toBe('CLUSTER_NOT_READY');
    await api.sql.query(`UPDATE clusters SET bootstrapped_at = now() WHERE name = 'ready'`);
    expect((await ask({}, viewer)).status).toBe(403);
    expect((await ask({ ttlSeconds: 86_401 })).status).toBe(422);
    const { body } = await ask({});
    expect(body.kubeconfig).toMatch(/^kubeconfig of ready for token:operator-/);
    expect(new Date(body.expiresAt).getTime() - Date.now()).toBeGreaterThan(3_500_000);
    const audit = await api.sql.query(
      `SELECT actor, detail FROM audit_events WHERE action = 'kubeconfig.create'`,
    );
    expect(audit.rows).toEqual([
      { actor: expect.stringMatching(/^token:operator-/), detail: { ttlSeconds: 3600 } },
    ]);
  });

  test('explains, lists machines without addresses, and says whether a template is in sync', async () => {
    await sync(managed('told'));
    const {
      rows: [cluster],
    } = await api.sql.query<{ id: string; tenant_id: string }>(
      `SELECT id, tenant_id FROM clusters WHERE name = 'told'`,
    );
    await api.sql.query(
      `INSERT INTO cluster_machines (id, tenant_id, cluster_id, set_name, name, role, managed, state, ready) VALUES (gen_random_uuid(), $1, $2, 'control-planes', 'told-cp-1', 'control-plane', true, 'Running', true)`,
      [cluster?.tenant_id, cluster?.id],
    );
    const machines = (await get('clusters/told/machines')).body;
    expect(machines).toMatchObject({
      nextPageToken: '',
      items: [{ name: 'told-cp-1', set: 'control-planes', managed: true, ready: true }],
    });
    expect((await get('clusters/told/explain')).body).toMatchObject({
      cluster: 'told',
      summary: 'not looked at yet',
      next: [],
      waiting: [],
      refused: [],
    });
    const status = (template: string): Promise<Answered> =>
      api.send('POST', 'tenants/acme/templates:status', { token: viewer, body: { template } });
    expect((await status(managed('told'))).body).toMatchObject({
      exists: true,
      inSync: true,
      operation: { kind: 'create' },
    });
    expect((await status(managed('told', 'labels:\n  a: b\n'))).body.inSync).toBe(false);
    expect((await status(managed('unheard-of'))).body).toMatchObject({
      exists: false,
      status: null,
      operation: null,
    });
  });

  test('pages go through all clusters once, by tokens bound to their list', async () => {
    const seen: string[] = [];
    let token = '';
    do {
      const { body } = await get(`clusters?pageSize=2&pageToken=${token}`);
      seen.push(...body.items.map((c: { name: string }) => c.name));
      token = body.nextPageToken;
    } while (token !== '');
    expect(seen).toEqual([...new Set(seen)].sort());
    const { body } = await get('clusters?pageSize=1');
    expect((await get(`operations?pageToken=${body.nextPageToken}`)).body.code).toBe('PAGE_TOKEN_INVALID');
    const globex = await api.token('globex', 'viewer');
    const stolen = await api.send('GET', `tenants/globex/clusters?pageToken=${body.nextPageToken}`, {
      token: globex,
    });
    expect(stolen.body.code).toBe('PAGE_TOKEN_INVALID');
  });

  test('an idempotency key has one effect; another body is refused; the replay says so', async () => {
    const headers = { 'idempotency-key': 'once-1' };
    const first = await sync(managed('once'), '', headers);
    const replay = await sync(managed('once'), '', headers);
    expect(replay.body).toEqual(first.body);
    expect([replay.status, replay.headers['idempotency-replayed'], replay.headers['location']]).toEqual([
      202,
      'true',
      first.headers['location'],
    ]);
    expect((await sync(managed('twice'), '', headers)).body.code).toBe('IDEMPOTENCY_MISMATCH');
    const secret = await api.token('acme', 'admin');
    const make = (): Promise<Answered> =>
      api.send('POST', 'tenants/acme/tokens', {
        token: secret,
        body: { name: 'ci', role: 'viewer' },
        headers: { 'idempotency-key': 'token-1' },
      });
    const [made, remade] = [await make(), await make()];
    expect([made.status, remade.body.token]).toEqual([201, made.body.token]);
    const kept = await api.sql.query(`SELECT response::text FROM idempotency_keys`);
    expect(JSON.stringify(kept.rows)).not.toContain(made.body.token);
  });
});

describe('an installation without managed control planes', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await createTestApi({ MANAGED_CONTROL_PLANES: 'false' });
  }, 60_000);
  afterAll(() => api.close());

  test('refuses them where the template asks for one', async () => {
    const token = await api.token('acme', 'operator');
    const answer = await api.send('POST', 'tenants/acme/templates:sync', {
      token,
      body: { template: managed('off'), fileName: 'off.yaml' },
    });
    expect([answer.status, answer.body.code]).toEqual([409, 'MANAGED_CONTROL_PLANES_DISABLED']);
    expect(answer.body.errors[0]).toMatchObject({ file: 'off.yaml', line: 10, path: 'ControlPlane.managed' });
    expect((await api.send('GET', 'options', { token })).body).toMatchObject({
      managedControlPlanes: false,
      providers: [],
    });
  });
});
