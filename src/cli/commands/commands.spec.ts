import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeApiServer, fakeOperation, problem } from '../api/api-server.fake';
import { FakeTerminal } from '../terminal/terminal.fake';

let server: FakeApiServer;
let terminal: FakeTerminal;

const CLUSTER = {
  id: 'c-1',
  name: 'shop',
  managed: true,
  size: 'xs',
  talosVersion: '1.13.9',
  kubernetesVersion: '1.36.0',
  state: 'Ready',
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      lastTransitionTime: '2026-06-01T11:00:00Z',
    },
    {
      type: 'EtcdHealthy',
      status: 'False',
      reason: 'NoQuorum',
      message: '1 of 3 answers',
      lastTransitionTime: '2026-06-01T11:00:00Z',
    },
  ],
  endpoint: 'shop.example',
  createdAt: '2026-06-01T11:00:00.000Z',
  deleteRequestedAt: null,
};
const TEMPLATE =
  'kind: Cluster\nname: shop\npatches:\n  - file: ./patches/a.yaml\n  - file: ../secret.yaml\n  - file: link.yaml\n---\nkind: ControlPlane\nmanaged: {enabled: true, size: xs}\n';

beforeEach(async () => {
  server = await FakeApiServer.start();
  terminal = new FakeTerminal();
  terminal.env = {
    ...terminal.env,
    QUORATE_ENDPOINT: server.url,
    QUORATE_TOKEN: 't0ken',
    QUORATE_TENANT: 'acme',
  };
  writeFileSync(path.join(terminal.cwd, 'shop.yaml'), TEMPLATE);
  mkdirSync(path.join(terminal.cwd, 'patches'));
  writeFileSync(path.join(terminal.cwd, 'patches/a.yaml'), 'machine: {}\n');
});

afterEach(async () => {
  terminal.remove();
  await server.stop();
});

describe('cluster', () => {
  test('list reads every page, and prints a table, JSON, or names', async () => {
    server.on('GET tenants/acme/clusters', ({ path: asked }) =>
      asked.includes('pageToken=more')
        ? { body: { items: [{ ...CLUSTER, name: 'web' }], nextPageToken: '' } }
        : { body: { items: [CLUSTER], nextPageToken: 'more' } },
    );
    expect(await terminal.run('cluster', 'list')).toBe(0);
    expect(terminal.stdout).toBe(
      'NAME   STATE   CONTROL PLANE   TALOS    KUBERNETES   AGE\n' +
        'shop   Ready   managed xs      1.13.9   1.36.0       60m\n' +
        'web    Ready   managed xs      1.13.9   1.36.0       60m\n',
    );
    await terminal.run('cluster', 'list', '-o', 'name');
    expect(terminal.stdout).toBe('cluster/shop\ncluster/web\n');
    await terminal.run('cluster', 'list', '-o', 'json');
    expect(JSON.parse(terminal.stdout)).toEqual({ items: [CLUSTER, { ...CLUSTER, name: 'web' }] });
    expect(server.asked[0]?.token).toBe('t0ken');
  });

  test('an empty list is empty on stdout and a hint on stderr', async () => {
    server.on('GET tenants/acme/clusters', { body: { items: [], nextPageToken: '' } });
    expect(await terminal.run('cluster', 'list')).toBe(0);
    expect([terminal.stdout, terminal.stderr]).toEqual(['', expect.stringContaining('template sync')]);
  });

  test('status shows problems first', async () => {
    server
      .on('GET tenants/acme/clusters/shop', { body: CLUSTER })
      .on('GET tenants/acme/clusters/shop/machines', { body: { items: [], nextPageToken: '' } })
      .on('GET tenants/acme/operations', { body: { items: [fakeOperation()], nextPageToken: '' } });
    expect(await terminal.run('cluster', 'status', 'shop')).toBe(0);
    expect(terminal.stdout).toMatchInlineSnapshot(`
"shop: Ready  (managed xs, Talos 1.13.9, Kubernetes 1.36.0)
Conditions
  ✗ EtcdHealthy (NoQuorum): 1 of 3 answers
  ✓ Ready
Machines
  none yet
Operation op-1: create Running, 0s ago
"
`);
  });

  test('explain shows the arithmetic of a refusal', async () => {
    const refused = [{ action: 'remove', target: 'm2', reason: 'quorum', arithmetic: { n: 3, healthy: 2 } }];
    const body = {
      cluster: 'shop',
      state: 'Ready',
      summary: 'settled',
      next: [],
      waiting: [],
      refused,
      conditions: [],
    };
    server.on('GET tenants/acme/clusters/shop/explain', { body });
    await terminal.run('cluster', 'explain', 'shop');
    expect(terminal.stdout).toBe('shop: Ready. settled\nRefused\n  remove m2: quorum  {"n":3,"healthy":2}\n');
  });

  test.each([
    ['without a confirmation off a terminal', [], 2, 'repeat the command with --confirm shop'],
    ['with another name', ['--confirm', 'web'], 2, 'does not name the cluster shop'],
    ['with the name', ['--confirm', 'shop'], 0, 'operation watch op-1'],
    ['with --yes', ['--yes'], 0, 'operation watch op-1'],
  ])('delete %s', async (_, flags, code, told) => {
    server
      .on('GET tenants/acme/clusters/shop', { body: CLUSTER })
      .on('DELETE tenants/acme/clusters/shop', { status: 202, body: fakeOperation({ kind: 'delete' }) });
    expect(await terminal.run('cluster', 'delete', 'shop', ...flags)).toBe(code);
    expect(terminal.stderr).toContain(told);
    expect(server.asked.some((asked) => asked.method === 'DELETE')).toBe(code === 0);
  });

  test('delete on a terminal asks for the name', async () => {
    server
      .on('GET tenants/acme/clusters/shop', { body: CLUSTER })
      .on('DELETE tenants/acme/clusters/shop', { status: 202, body: fakeOperation({ kind: 'delete' }) });
    Object.assign(terminal, { stdinIsTty: true, stderrIsTty: true, answers: ['nope', 'shop'] });
    expect(await terminal.run('cluster', 'delete', 'shop')).toBe(1);
    expect(await terminal.run('cluster', 'delete', 'shop')).toBe(0);
    expect(terminal.questions).toHaveLength(2);
  });

  test('kubeconfig goes to stdout, or to a private file that holds nothing else', async () => {
    const kubeconfig = 'clusters: [{name: shop}]\n';
    server.on('POST tenants/acme/clusters/shop/kubeconfig', {
      status: 201,
      body: { kubeconfig, expiresAt: '2026-06-01T20:00:00Z' },
    });
    expect(await terminal.run('cluster', 'kubeconfig', 'shop', '--ttl', '8h')).toBe(0);
    expect([terminal.stdout, terminal.stderr]).toEqual([kubeconfig, '']);
    expect(server.asked[0]?.body).toEqual({ ttlSeconds: 28_800 });
    const file = path.join(terminal.cwd, 'kc');
    for (let time = 0; time < 2; time += 1) {
      expect(await terminal.run('cluster', 'kubeconfig', 'shop', '--file', 'kc')).toBe(0);
      expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([kubeconfig, 0o600]);
    }
    writeFileSync(file, 'clusters: [{name: mine}]\n');
    expect(await terminal.run('cluster', 'kubeconfig', 'shop', '--file', 'kc')).toBe(5);
    expect(readFileSync(file, 'utf8')).toContain('mine');
  });
});

describe('template', () => {
  test('sync sends the template and the files inside its folder, and no other', async () => {
    const outside = path.join(terminal.cwd, '..', `outside-${path.basename(terminal.cwd)}`);
    writeFileSync(outside, 'secret');
    symlinkSync(outside, path.join(terminal.cwd, 'link.yaml'));
    server.on('POST tenants/acme/templates:sync', {
      status: 202,
      body: { ...fakeOperation(), warnings: [] },
    });
    expect(await terminal.run('template', 'sync', '-f', 'shop.yaml')).toBe(0);
    expect(server.asked[0]?.body).toEqual({
      template: TEMPLATE,
      fileName: 'shop.yaml',
      files: { 'patches/a.yaml': 'machine: {}\n' },
    });
    expect(server.asked[0]?.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    expect(terminal.stdout).toBe('create shop: Running (operation op-1)\n');
    expect(terminal.stderr).toBe('Next: quorate operation watch op-1\n');
  });

  test('sync --dry-run shows the changes', async () => {
    const changes = [{ path: 'size', change: 'changed', before: 'xs', after: 's' }];
    server.on('POST tenants/acme/templates:sync', ({ path: asked }) => ({
      status: asked.endsWith('?dryRun=true') ? 200 : 500,
      body: { cluster: 'shop', managed: true, action: 'update', changes, warnings: [] },
    }));
    expect(await terminal.run('template', 'sync', '-f', 'shop.yaml', '--dry-run')).toBe(0);
    expect(terminal.stdout).toBe('would update managed cluster shop\n  ~ size: xs -> s\n');
  });

  test('every fault comes with its place and remedy', async () => {
    const errors = [
      {
        file: 'shop.yaml',
        line: 3,
        column: 7,
        path: 'Cluster.name',
        code: 'X',
        reason: 'is taken',
        remedy: 'choose another',
      },
      { path: 'size', code: 'Y', reason: 'is unknown', remedy: '' },
    ];
    const body = problem(422, 'TEMPLATE_INVALID', 'The template is not valid', {
      errors,
      help: 'correct it',
    });
    server.on('POST tenants/acme/templates:validate', { status: 422, body });
    expect(await terminal.run('template', 'validate', '-f', 'shop.yaml')).toBe(1);
    expect([terminal.stdout, terminal.stderr]).toEqual([
      '',
      'Error: The template is not valid [TEMPLATE_INVALID]\n' +
        '  shop.yaml:3:7 Cluster.name: is taken -> choose another\n' +
        '  size: is unknown\n' +
        'Next: correct it  (request req-1)\n',
    ]);
  });

  test('delete names the cluster in its question; status follows the operation', async () => {
    server
      .on('POST tenants/acme/templates:delete', { status: 202, body: fakeOperation({ kind: 'delete' }) })
      .on('POST tenants/acme/templates:status', {
        body: { cluster: 'shop', exists: true, inSync: true, status: CLUSTER, operation: null },
      });
    expect(await terminal.run('template', 'delete', '-f', 'shop.yaml', '--confirm', 'other')).toBe(2);
    expect(await terminal.run('template', 'delete', '-f', 'shop.yaml', '--confirm', 'shop')).toBe(0);
    expect(await terminal.run('template', 'status', '-f', 'shop.yaml')).toBe(0);
    expect(terminal.stdout).toContain('shop: Ready, in sync with the template');
  });

  test('a file that is not there is told before any server is asked for', async () => {
    expect(await terminal.run('template', 'sync', '-f', 'none.yaml')).toBe(1);
    expect(terminal.stderr).toContain('there is no such file');
    expect(server.asked).toEqual([]);
  });
});

describe('exit codes', () => {
  test.each([
    [401, 3],
    [403, 3],
    [404, 4],
    [409, 5],
    [412, 5],
    [422, 1],
    [429, 6],
    [500, 1],
    [503, 9],
  ])('HTTP %p is %p', async (status, code) => {
    server.on('GET tenants/acme/clusters', { status, body: problem(status, 'SOME_CODE', 'Some title') });
    expect(await terminal.run('cluster', 'list')).toBe(code);
    expect(terminal.stderr).toBe('Error: Some title [SOME_CODE]\nrequest req-1\n');
  });

  test('a server that is not there is 9; an answer that is not ours is told so', async () => {
    server.on('GET tenants/acme/clusters', { status: 502, body: '<html>bad gateway</html>' });
    expect(await terminal.run('cluster', 'list')).toBe(9);
    expect(terminal.stderr).toContain('the answer is not from a Quorate server');
    await server.stop();
    expect(await terminal.run('cluster', 'list')).toBe(9);
    expect(terminal.stderr).toContain('cannot be reached\n  connect ECONNREFUSED');
    server = await FakeApiServer.start();
  });

  test.each([
    [['clutser', 'list'], 'Did you mean cluster?'],
    [['cluster', 'get'], 'Next: quorate cluster get --help'],
    [['cluster', 'list', '-o', 'xml'], 'use -o table|json|yaml|name'],
    [['template', 'sync', '-f', 'shop.yaml', '--timeout', 'soon'], 'is not a duration'],
    [['operation', 'list', '--limit', '0'], 'is not a number of rows'],
  ])('%p is wrong usage', async (args, told) => {
    expect(await terminal.run(...args)).toBe(2);
    expect(terminal.stderr).toContain(told);
    expect(terminal.stdout).toBe('');
  });
});

describe('the smaller commands', () => {
  test.each([
    [
      ['tenant', 'create', 'new', '--display-name', 'New'],
      'POST tenants',
      { name: 'new', displayName: 'New' },
    ],
    [
      ['token', 'create', 'ci', '--role', 'viewer', '--ttl', '1d'],
      'POST tenants/acme/tokens',
      { name: 'ci', role: 'viewer', ttlSeconds: 86_400 },
    ],
    [
      ['provider', 'create', 'rack', '--alias', 'default'],
      'POST tenants/acme/providers',
      { name: 'rack', alias: 'default' },
    ],
    [['provider', 'token', 'rack'], 'POST tenants/acme/providers/rack/join-tokens', { ttlSeconds: 86_400 }],
    [
      ['machine-class', 'create', 'big', '--provider', 'rack', '--cpus', '8'],
      'POST tenants/acme/machine-classes',
      { name: 'big', provider: 'rack', cpus: 8, memoryBytes: 4 * 1024 ** 3, diskBytes: 20 * 1024 ** 3 },
    ],
    [['token', 'revoke', 'ci'], 'DELETE tenants/acme/tokens/ci', undefined],
    [['machine-class', 'delete', 'big'], 'DELETE tenants/acme/machine-classes/big', undefined],
  ])('%p', async (args, route, body) => {
    server.on(route, {
      status: body === undefined ? 204 : 201,
      body: body && { ...body, token: 's3cret', expiresAt: null, revokedAt: null },
    });
    expect([await terminal.run(...args), terminal.stderr.includes('Error')]).toEqual([0, false]);
    expect(server.asked.map((asked) => [`${asked.method} ${asked.path}`, asked.body])).toEqual([
      [route, body],
    ]);
    expect(terminal.stderr).not.toContain('s3cret');
  });

  test.each([
    ['machine list', 'machines'],
    ['machine-class list', 'machine-classes'],
    ['provider list', 'providers'],
    ['token list', 'tokens'],
    ['operation list', 'operations'],
    ['events', 'events'],
  ])('%s', async (line, route) => {
    server.on(`GET tenants/acme/${route}`, { body: { items: [], nextPageToken: '' } });
    expect(await terminal.run(...line.split(' '))).toBe(0);
    await terminal.run(...line.split(' '), '-o', 'yaml');
    expect(terminal.stdout).toBe('items: []\n');
  });

  test('options', async () => {
    const sizes = [
      { name: 'xs', machines: 1, cpus: 1, memoryBytes: 2 * 1024 ** 3, diskBytes: 10 * 1024 ** 3 },
    ];
    const talosVersions = [{ version: '1.13.9', kubernetes: { min: '1.31', max: '1.36' } }];
    server.on('GET options', {
      body: { managedControlPlanes: true, providers: ['default'], sizes, talosVersions },
    });
    await terminal.run('options');
    expect(terminal.stdout).toContain('  xs: 1 x 1 CPU, 2Gi memory, 10Gi disk\n');
  });
});
