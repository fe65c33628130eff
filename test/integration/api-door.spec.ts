import { createTestApi, type TestApi } from '../support/api';

jest.setTimeout(20_000); // the database may be shared with a busy machine

describe('the door of the API', () => {
  let api: TestApi;
  let admin: string;
  beforeAll(async () => {
    api = await createTestApi();
    admin = await api.token('acme', 'admin');
  }, 60_000);
  afterAll(() => api.close());

  test('answers a problem with its code, help and request id when there is no token', async () => {
    const answer = await api.send('GET', 'tenants/acme/clusters');
    expect(answer.status).toBe(401);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="quorate"');
    expect(answer.body).toEqual({
      type: '/problems/TOKEN_MISSING',
      title: 'No token was sent',
      status: 401,
      instance: `urn:quorate:request:${answer.headers['x-request-id']}`,
      code: 'TOKEN_MISSING',
      help: 'Send the header Authorization: Bearer <token>.',
      requestId: answer.headers['x-request-id'],
      retryable: false,
    });
  });

  test('keeps the request id of the caller when it is one', async () => {
    const kept = await api.send('GET', 'options', {
      token: admin,
      headers: { 'x-request-id': 'my-request-1234' },
    });
    expect(kept.headers['x-request-id']).toBe('my-request-1234');
    const replaced = await api.send('GET', 'options', {
      token: admin,
      headers: { 'x-request-id': 'bad id\t"' },
    });
    expect(replaced.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    {
      name: 'an unknown route',
      method: 'GET' as const,
      path: 'nowhere',
      code: 'ROUTE_NOT_FOUND',
      status: 404,
    },
    {
      name: 'a colon verb that does not exist',
      method: 'POST' as const,
      path: 'tenants/acme/templates:explode',
      code: 'ROUTE_NOT_FOUND',
      status: 404,
    },
    {
      name: 'a bad page size',
      method: 'GET' as const,
      path: 'tenants/acme/clusters?pageSize=0',
      code: 'REQUEST_INVALID',
      status: 422,
    },
    {
      name: 'an unknown query parameter',
      method: 'GET' as const,
      path: 'tenants/acme/clusters?colour=red',
      code: 'REQUEST_INVALID',
      status: 422,
    },
    {
      name: 'a forged page token',
      method: 'GET' as const,
      path: 'tenants/acme/clusters?pageToken=WyJhIl0.AAAA',
      code: 'PAGE_TOKEN_INVALID',
      status: 400,
    },
  ])('refuses $name', async ({ method, path, code, status }) => {
    const answer = await api.send(method, path, { token: admin, ...(method === 'POST' ? { body: {} } : {}) });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers['x-request-id']).toBeDefined();
  });

  test('refuses JSON that is none, and a body that is too large', async () => {
    const headers = { 'content-type': 'application/json' };
    const broken = await api.app.inject({
      method: 'POST',
      url: '/api/v1/tenants/acme/tokens',
      headers: { ...headers, authorization: `Bearer ${admin}` },
      payload: '{"name": ',
    });
    expect([broken.statusCode, broken.json<{ code: string }>().code]).toEqual([400, 'BODY_MALFORMED']);
    const large = await api.send('POST', 'tenants/acme/tokens', {
      token: admin,
      body: { name: 'x'.repeat(2_200_000) },
    });
    expect([large.status, large.body.code]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  test('names unknown fields by JSON pointer', async () => {
    const answer = await api.send('POST', 'tenants/acme/tokens', {
      token: admin,
      body: { name: 'ci', role: 'viewer', 'a/b': 1 },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([expect.objectContaining({ path: '/a~1b', code: 'FIELD_UNKNOWN' })]);
  });

  test.each(['templates:validate', 'templates%3Avalidate'])('routes the verb of %s', async (verb) => {
    const answer = await api.send('POST', `tenants/acme/${verb}`, {
      token: admin,
      body: { template: 'kind: Nonsense' },
    });
    expect([answer.status, answer.body.code]).toEqual([422, 'TEMPLATE_INVALID']);
  });

  test('documents itself as OpenAPI 3.1, with every reference resolved', async () => {
    const { body, status, text } = await api.send('GET', 'openapi.json');
    expect([status, body.openapi]).toEqual([200, '3.1.0']);
    const references = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]);
    expect(references.length).toBeGreaterThan(20);
    expect(references.filter((name) => body.components.schemas[name as string] === undefined)).toEqual([]);
    expect(body.paths['/api/v1/tenants/{tenant}/templates:sync'].post.operationId).toBe('syncTemplate');
  });
});
