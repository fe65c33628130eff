/** No text that a caller sends is an error of ours: whatever stands in a path, a query or a body, the answer is below 500. */
import { createTestApi, type TestApi } from '../support/api';

jest.setTimeout(60_000);

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
}
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
type Method = 'GET' | 'POST' | 'DELETE';

const IN_URLS = [
  '%00',
  'a%00b',
  '%ff',
  '%E0%A4%A',
  '..%2f..',
  '%25%30%30',
  'x'.repeat(400),
  "'; --",
  '%F0%9F%92%A9',
];
const IN_BODIES = ['\0', 'a\0b', '\ud800', '__proto__', 'x'.repeat(100_000), '\u202e', ''];
const API = '/api/v1/';

describe('hostile texts', () => {
  let api: TestApi;
  let tokens: readonly string[];
  let operations: readonly { method: Method; path: string; operation: Operation }[];
  beforeAll(async () => {
    api = await createTestApi();
    tokens = [await api.token('acme', 'admin'), await api.token('platform', 'platform-admin')];
    const { paths } = (await api.send('GET', 'openapi.json')).body as {
      paths: Record<string, Record<string, Operation>>;
    };
    operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase() as Method,
        path: path.replace(API, ''),
        operation,
      })),
    );
  }, 60_000);
  afterAll(() => api.close());

  const fill = (path: string, replaced?: string, text = ''): string =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === replaced ? text : name === 'tenant' ? 'acme' : 'some-name',
    );

  async function faults(method: Method, path: string, body?: unknown): Promise<string[]> {
    const found: string[] = [];
    for (const token of tokens) {
      const answer = await api.send(method, path, {
        token,
        ...(method === 'POST' ? { body: body ?? {} } : {}),
      });
      const code = answer.status < 400 ? '' : String(answer.body?.code);
      // A code of ours, or none where nothing was wrong; the framework's own begin with FST_.
      if (answer.status >= 500 || !/^(?!FST_)[A-Z_]*$/.test(code)) {
        found.push(`${method} ${path.slice(0, 100)} ${answer.status} ${answer.text.slice(0, 100)}`);
      }
    }
    return found;
  }

  test.each(IN_URLS)('%j in a path or a query', async (text) => {
    const found: string[] = [];
    for (const { method, path, operation } of operations) {
      for (const parameter of operation.parameters ?? []) {
        if (parameter.in === 'path') {
          found.push(...(await faults(method, fill(path, parameter.name, text))));
        } else if (parameter.in === 'query') {
          found.push(...(await faults(method, `${fill(path)}?${parameter.name}=${text}`)));
        }
      }
    }
    expect(found).toEqual([]);
  });

  test.each(IN_BODIES)('%j in a body', async (text) => {
    const found: string[] = [];
    for (const { method, path, operation } of operations) {
      const schema = operation.requestBody?.content['application/json']?.schema;
      for (const property of Object.keys(schema?.properties ?? {})) {
        const valid = { name: 'some-name', role: 'viewer', template: 'kind: Cluster', [property]: text };
        const names = Object.keys(schema?.properties ?? {});
        const body = Object.fromEntries(Object.entries(valid).filter(([name]) => names.includes(name)));
        found.push(...(await faults(method, fill(path), body)));
      }
    }
    expect(found).toEqual([]);
  });
});
