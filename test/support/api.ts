/** The api role in process, on a database of its own, with two tenants beside the platform. */
import { Test } from '@nestjs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { ApiModule } from '../../src/app/api.module';
import { PlatformModule } from '../../src/app/platform.module';
import type { AccessRole } from '../../src/domain/access/roles';
import { hashToken } from '../../src/modules/access/api-token';
import {
  KubeconfigIssuer,
  type IssuedKubeconfig,
  type KubeconfigRequest,
} from '../../src/modules/clusters/ports/kubeconfig-issuer';
import { loadConfig } from '../../src/platform/config/config';
import { createFastifyAdapter } from '../../src/platform/http/fastify-adapter';
import { newId } from '../../src/platform/ids';
import { Lifecycle } from '../../src/platform/lifecycle/lifecycle';
import { Metrics } from '../../src/platform/metrics/metrics';
import { createTestDatabase, type TestDatabase } from './database';

/** The name of the hidden provider: no answer to a tenant may hold it. */
export const HIDDEN_PROVIDER = 'secret-metal-fleet';
export const TENANTS = ['acme', 'globex'] as const;
export type TestTenant = (typeof TENANTS)[number];

class FakeKubeconfigIssuer extends KubeconfigIssuer {
  issue({ clusterName, userName, ttlSeconds }: KubeconfigRequest): Promise<IssuedKubeconfig> {
    return Promise.resolve({
      kubeconfig: `kubeconfig of ${clusterName} for ${userName}`,
      expiresAt: new Date(Date.now() + ttlSeconds * 1000),
    });
  }
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a wrong shape fails in the assertion
  readonly body: any;
}

export interface Sent {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestApi {
  readonly app: NestFastifyApplication;
  readonly database: TestDatabase;
  /** Superuser. */
  readonly sql: Client;
  readonly tenantIds: Readonly<Record<TestTenant | 'platform', string>>;
  /** A new token of that role; `platform` is a tenant here too. */
  token(tenant: TestTenant | 'platform', role: AccessRole, expiresAt?: Date): Promise<string>;
  send(method: 'GET' | 'POST' | 'DELETE', path: string, sent?: Sent): Promise<Answered>;
  /** What the relay does: numbers what was committed and wakes the watches. */
  publish(): Promise<void>;
  close(): Promise<void>;
}

export async function createTestApi(environment: Readonly<Record<string, string>> = {}): Promise<TestApi> {
  const database = await createTestDatabase();
  const sql = new Client(database.adminUrl);
  sql.on('error', () => undefined);
  await sql.connect();
  const tenantIds = await seed(sql);
  const app = await start(database, environment);
  return {
    app,
    database,
    sql,
    tenantIds,
    token: (tenant, role, expiresAt) => addToken(sql, tenantIds[tenant], role, expiresAt),
    send: (method, path, sent = {}) => send(app, method, path, sent),
    async publish() {
      await sql.query(
        `UPDATE outbox SET seq = n.seq, published_at = now() FROM (SELECT id, nextval('outbox_published_seq') AS seq FROM (SELECT id FROM outbox WHERE seq IS NULL ORDER BY id) u) n WHERE outbox.id = n.id`,
      );
      await sql.query(`NOTIFY quorate_changes`);
    },
    async close() {
      await app.get(Lifecycle).stop();
      // fetch keeps connections alive
      app.getHttpAdapter().getInstance().server.closeAllConnections();
      await app.close();
      await sql.end();
      await database.drop();
    },
  };
}

async function start(
  database: TestDatabase,
  environment: Readonly<Record<string, string>>,
): Promise<NestFastifyApplication> {
  const config = loadConfig({
    TENANT_PROVIDERS: 'true',
    DATABASE_URL: database.appUrl,
    DATABASE_SYSTEM_URL: database.systemUrl,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    LOG_LEVEL: 'silent',
    ...environment,
  });
  const testing = await Test.createTestingModule({
    imports: [PlatformModule.withConfig(config, new Metrics()), ApiModule],
  })
    .overrideProvider(KubeconfigIssuer)
    .useClass(FakeKubeconfigIssuer)
    .compile();
  const app = testing.createNestApplication<NestFastifyApplication>(createFastifyAdapter(), {
    logger: false,
  });
  await app.init();
  await app.get(Lifecycle).start();
  await app.getHttpAdapter().getInstance().ready();
  return app;
}

async function seed(sql: Client): Promise<TestApi['tenantIds']> {
  const ids = { platform: newId(), acme: newId(), globex: newId() };
  await sql.query(
    `INSERT INTO tenants (id, name, display_name, kind) VALUES ($1, 'platform', 'Platform', 'platform'), ($2, 'acme', 'Acme', 'tenant'), ($3, 'globex', 'Globex', 'tenant')`,
    [ids.platform, ids.acme, ids.globex],
  );
  await sql.query(
    `INSERT INTO providers (id, tenant_id, name, alias, hidden) VALUES ($1, $2, $3, 'default', true)`,
    [newId(), ids.platform, HIDDEN_PROVIDER],
  );
  return ids;
}

async function addToken(sql: Client, tenantId: string, role: AccessRole, expiresAt?: Date): Promise<string> {
  const token = `qt_${randomBytes(32).toString('base64url')}`;
  const name = `${role}-${randomBytes(3).toString('hex')}`;
  await sql.query(
    'INSERT INTO api_tokens (id, tenant_id, name, role, hash, expires_at) VALUES ($1, $2, $3, $4, $5, $6)',
    [newId(), tenantId, name, role, Buffer.from(hashToken(token)), expiresAt ?? null],
  );
  return token;
}

async function send(
  app: NestFastifyApplication,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { token, body, headers }: Sent,
): Promise<Answered> {
  const response = await app.inject({
    method,
    url: path.startsWith('/') ? path : `/api/v1/${path}`,
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
    ...(body === undefined ? {} : { payload: body as object }),
  });
  const isJson = String(response.headers['content-type']).includes('json');
  return {
    status: response.statusCode,
    headers: response.headers as Answered['headers'],
    text: response.body,
    body: isJson ? (JSON.parse(response.body) as unknown) : undefined,
  };
}
