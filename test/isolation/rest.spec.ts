/** Every route of the OpenAPI document, as nobody, with a dead token, in the wrong role and in the wrong tenant. */
import { findAccessRow } from '../../src/domain/access/access-matrix';
import { TENANT_ROLES } from '../../src/domain/access/roles';
import { RouteRegistry } from '../../src/platform/http/route-registry';
import { newId } from '../../src/platform/ids';
import { createTestApi, HIDDEN_PROVIDER, type Answered, type TestApi } from '../support/api';

jest.setTimeout(60_000);

/** What belongs to globex, and no answer to acme may hold. */
const FOREIGN = {
  cluster: 'globex-secret-cluster',
  provider: 'globex-own-metal',
  machineClass: 'globex-class',
  token: 'globex-robot',
  event: 'globex-event-text',
} as const;

interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly isPublic: boolean;
  readonly access: { readonly resource: string; readonly verb: string };
  readonly parameters: readonly string[];
}

const template = (name: string): string =>
  `kind: Cluster\nname: ${name}\nkubernetes:\n  version: v1.31.1\ntalos:\n  version: v1.8.2\n---\nkind: ControlPlane\nmanaged:\n  enabled: true\n  provider: default\n  size: xs\n`;

/** A body that each POST accepts, so that nothing is refused for its shape. */
const BODIES: Readonly<Record<string, object>> = {
  tenants: { name: 'made-by-the-walk' },
  tokens: { name: 'made-by-the-walk', role: 'viewer' },
  'machine-classes': {
    name: 'made-by-the-walk',
    provider: FOREIGN.provider,
    cpus: 1,
    memoryBytes: 2 ** 31,
    diskBytes: 2 ** 34,
  },
  providers: { name: 'made-by-the-walk' },
  'join-tokens': {},
  kubeconfig: {},
};
const bodyOf = ({ path }: Operation): object =>
  BODIES[path.split('/').at(-1) ?? ''] ?? { template: template(FOREIGN.cluster) };

describe('isolation over REST', () => {
  let api: TestApi;
  let operations: readonly Operation[];
  let foreignIds: readonly string[];
  beforeAll(async () => {
    api = await createTestApi();
    foreignIds = await fillGlobex(api);
    operations = await readOperations(api);
  }, 60_000);
  afterAll(() => api.close());

  /** Fills the path; ids and names are globex's own. */
  const urlOf = ({ path }: Operation, tenant: string): string =>
    path
      .replace('{tenant}', tenant)
      .replace('{cluster}', FOREIGN.cluster)
      .replace('{operation}', foreignIds[0] ?? '')
      .replace(
        '{name}',
        path.includes('machine-classes')
          ? FOREIGN.machineClass
          : path.includes('providers')
            ? FOREIGN.provider
            : FOREIGN.token,
      );
  const send = (operation: Operation, tenant: string, token?: string): Promise<Answered> =>
    api.send(operation.method, urlOf(operation, tenant), {
      token,
      ...(operation.method === 'POST' ? { body: bodyOf(operation) } : {}),
    });
  const inTenant = (): readonly Operation[] => operations.filter(({ path }) => path.includes('{tenant}'));
  const isWatch = ({ path }: Operation): boolean => path.endsWith('/watch');
  const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;

  /** The caller's own words do not count: it sent them. */
  function leaks(answer: Answered, sent: string): string[] {
    const text = JSON.stringify([answer.text, answer.headers]);
    const secrets = [
      ...Object.values(FOREIGN),
      ...foreignIds,
      HIDDEN_PROVIDER,
      api.tenantIds.globex,
      api.tenantIds.platform,
    ];
    return secrets.filter((secret) => text.includes(secret) && !sent.includes(secret));
  }

  test('the document lists every declared route, and each that is not public has a row of the access matrix', () => {
    const declared = api.app
      .get(RouteRegistry)
      .routes.map((route) => `${route.method} /api/v1/${route.path}`);
    expect(operations.map(nameOf).sort()).toEqual([...declared].sort());
    expect(operations.filter((o) => !o.isPublic && findAccessRow(o.access) === undefined)).toEqual([]);
    expect(operations.length).toBeGreaterThan(25);
  });

  test('the walk would see a leak: what globex may read holds all of it', async () => {
    const admin = await api.token('globex', 'admin');
    const answers = await Promise.all(
      ['clusters', 'providers', 'machine-classes', 'tokens', 'events'].map((path) =>
        api.send('GET', `tenants/globex/${path}`, { token: admin }),
      ),
    );
    expect(answers.flatMap((answer) => leaks(answer, ''))).toEqual(
      expect.arrayContaining(Object.values(FOREIGN)),
    );
  });

  test('nobody gets nothing: 401 on every route but the public ones', async () => {
    for (const operation of operations) {
      const answer = await send(operation, 'globex');
      expect([nameOf(operation), answer.status]).toEqual([nameOf(operation), operation.isPublic ? 200 : 401]);
      expect(leaks(answer, urlOf(operation, 'globex'))).toEqual([]);
    }
  });

  test('expired, revoked, truncated and invented tokens are all refused in the same words', async () => {
    const expired = await api.token('globex', 'admin', new Date(Date.now() - 1000));
    const revoked = await api.token('globex', 'admin');
    await api.sql.query(
      `UPDATE api_tokens SET revoked_at = now() WHERE created_at = (SELECT max(created_at) FROM api_tokens)`,
    );
    const valid = await api.token('globex', 'admin');
    for (const token of [expired, revoked, valid.slice(0, -1), `${valid}x`, 'qt_invented', 'nonsense']) {
      for (const operation of operations.filter((o) => !o.isPublic)) {
        const answer = await send(operation, 'globex', token);
        expect([nameOf(operation), answer.status, answer.body.code]).toEqual([
          nameOf(operation),
          401,
          'TOKEN_INVALID',
        ]);
      }
    }
  });

  test.each(TENANT_ROLES)(
    'a %s of another tenant learns nothing, not even that the tenant exists',
    async (role) => {
      const token = await api.token('acme', role);
      for (const operation of inTenant()) {
        for (const tenant of ['globex', 'platform']) {
          const foreign = await send(operation, tenant, token);
          const absent = await send(operation, 'nobody', token);
          expect([nameOf(operation), foreign.status, foreign.body.code]).toEqual([
            nameOf(operation),
            404,
            'TENANT_NOT_FOUND',
          ]);
          expect(withoutRequest(foreign)).toEqual(withoutRequest(absent));
          expect(leaks(foreign, urlOf(operation, tenant))).toEqual([]);
        }
      }
    },
  );

  test.each(TENANT_ROLES)('a %s gets 403 exactly where the matrix has no row for it', async (role) => {
    const token = await api.token('acme', role);
    for (const operation of operations.filter((o) => !o.isPublic && !isWatch(o))) {
      const allowed = findAccessRow(operation.access)?.reach[role] !== undefined;
      if (allowed && operation.method !== 'GET') {
        continue;
      }
      const answer = await send(operation, 'acme', token);
      expect([nameOf(operation), answer.status === 403]).toEqual([nameOf(operation), !allowed]);
    }
  });

  test("the ids and names of another tenant's objects are not found in one's own", async () => {
    const token = await api.token('acme', 'admin');
    for (const operation of inTenant().filter(
      (o) => !isWatch(o) && !o.path.includes('templates:') && o.path !== '/api/v1/tenants/{tenant}/providers',
    )) {
      const answer = await send(operation, 'acme', token);
      const names = operation.parameters.filter((name) => name !== 'tenant');
      if (names.length > 0) {
        expect([nameOf(operation), answer.status]).toEqual([nameOf(operation), 404]);
      }
      const sent =
        urlOf(operation, 'acme') + (operation.method === 'POST' ? JSON.stringify(bodyOf(operation)) : '');
      expect([nameOf(operation), leaks(answer, sent)]).toEqual([nameOf(operation), []]);
    }
  });

  test('lists, options and the answer to a sync never name the hidden provider or a foreign object', async () => {
    const token = await api.token('acme', 'admin');
    const sync = await api.send('POST', 'tenants/acme/templates:sync', {
      token,
      body: { template: template('own-cluster') },
    });
    expect(sync.status).toBe(202);
    const answers = [sync];
    for (const operation of operations.filter((o) => o.method === 'GET' && !isWatch(o))) {
      answers.push(
        await api.send(
          'GET',
          operation.path
            .replace('{tenant}', 'acme')
            .replace('{cluster}', 'own-cluster')
            .replace('{operation}', sync.body.id as string),
          { token },
        ),
      );
    }
    expect(answers.map((answer) => answer.status).filter((status) => status >= 300)).toEqual([]);
    expect(answers.flatMap((answer) => leaks(answer, ''))).toEqual([]);
  });

  test('the same name in two tenants is two clusters, with endpoints that tell nothing', async () => {
    const tokens = {
      acme: await api.token('acme', 'operator'),
      globex: await api.token('globex', 'operator'),
    };
    for (const tenant of ['acme', 'globex'] as const) {
      expect(
        (
          await api.send('POST', `tenants/${tenant}/templates:sync`, {
            token: tokens[tenant],
            body: { template: template('twin') },
          })
        ).body.kind,
      ).toBe('create');
    }
    const [a, b] = [
      await api.send('GET', 'tenants/acme/clusters/twin', { token: tokens.acme }),
      await api.send('GET', 'tenants/globex/clusters/twin', { token: tokens.globex }),
    ];
    expect(a.body.id).not.toBe(b.body.id);
    expect(a.body.endpoint).not.toBe(b.body.endpoint);
    expect(a.body.endpoint).not.toMatch(/twin|acme/);
  });
});

/** Bytes but for what differs between any two requests. */
function withoutRequest({ status, body, headers }: Answered): unknown {
  const { instance: _instance, requestId: _requestId, ...rest } = body as Record<string, unknown>;
  const { 'x-request-id': _id, date: _date, 'content-length': length, ...others } = headers;
  return { status, rest, others, length };
}

async function readOperations(api: TestApi): Promise<Operation[]> {
  const { paths } = (await api.send('GET', 'openapi.json')).body as {
    paths: Record<
      string,
      Record<
        string,
        { security?: unknown[]; 'x-access'?: Operation['access']; parameters: { in: string; name: string }[] }
      >
    >;
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase() as Operation['method'],
      path,
      isPublic: operation.security !== undefined,
      access: operation['x-access'] ?? { resource: '', verb: '' },
      parameters: operation.parameters.filter((p) => p.in === 'path').map((p) => p.name),
    })),
  );
}

/** One of everything for globex; answers its ids, the operation's first. */
async function fillGlobex(api: TestApi): Promise<string[]> {
  const admin = await api.token('globex', 'admin');
  const sync = await api.send('POST', 'tenants/globex/templates:sync', {
    token: admin,
    body: { template: template(FOREIGN.cluster) },
  });
  const cluster = await api.send('GET', `tenants/globex/clusters/${FOREIGN.cluster}`, { token: admin });
  await api.send('POST', 'tenants/globex/providers', { token: admin, body: { name: FOREIGN.provider } });
  const body = {
    name: FOREIGN.machineClass,
    provider: FOREIGN.provider,
    cpus: 1,
    memoryBytes: 2 ** 31,
    diskBytes: 2 ** 34,
  };
  await api.send('POST', 'tenants/globex/machine-classes', { token: admin, body });
  const token = await api.send('POST', 'tenants/globex/tokens', {
    token: admin,
    body: { name: FOREIGN.token, role: 'viewer' },
  });
  const [machine, event] = [newId(), newId()];
  const { rows } = await api.sql.query<{ id: string }>('SELECT id FROM providers WHERE name = $1', [
    FOREIGN.provider,
  ]);
  await api.sql.query(
    `INSERT INTO machines (id, tenant_id, provider_id, provider_machine_ref, talos_endpoint, kubernetes_endpoint) VALUES ($1, $2, $3, 'ref-1', '10.9.8.7:50000', '10.9.8.7:6443')`,
    [machine, api.tenantIds.globex, rows[0]?.id],
  );
  await api.sql.query(
    `INSERT INTO events (id, tenant_id, cluster_id, type, reason, message) VALUES ($1, $2, $3, 'Normal', 'Test', $4)`,
    [event, api.tenantIds.globex, cluster.body.id, FOREIGN.event],
  );
  return [
    sync.body.id,
    cluster.body.id,
    cluster.body.endpoint,
    token.body.id,
    machine,
    event,
    String(rows[0]?.id),
  ] as string[];
}
