import { CommandBus } from '@nestjs/cqrs';
import { BootstrapInstallation } from '../../src/modules/tenancy/commands/bootstrap-installation/bootstrap-installation.command';
import { putHappening } from '../../src/infrastructure/prisma/cluster-store-write';
import { SystemPrisma } from '../../src/infrastructure/prisma/prisma-clients';
import { AuditLog } from '../../src/modules/tenancy/audit-log';
import { TenantUnitOfWork } from '../../src/modules/tenancy/tenant-unit-of-work';
import { newId } from '../../src/platform/ids';
import { createTestApi, type TestApi } from '../support/api';

jest.setTimeout(20_000); // the database may be shared with a busy machine

describe('tenancy', () => {
  let api: TestApi;
  let staff: string;
  let support: string;
  let admin: string;
  beforeAll(async () => {
    api = await createTestApi();
    staff = await api.token('platform', 'platform-admin');
    support = await api.token('platform', 'platform-support');
    admin = await api.token('acme', 'admin');
  }, 60_000);
  afterAll(() => api.close());

  test('the platform creates tenants and their first token; names are taken once', async () => {
    const made = await api.send('POST', 'tenants', {
      token: staff,
      body: { name: 'initech', displayName: 'Initech' },
    });
    expect([made.status, made.body.name]).toEqual([201, 'initech']);
    expect((await api.send('POST', 'tenants', { token: staff, body: { name: 'initech' } })).body.code).toBe(
      'TENANT_NAME_TAKEN',
    );
    expect((await api.send('POST', 'tenants', { token: support, body: { name: 'other' } })).body.code).toBe(
      'FORBIDDEN',
    );
    expect((await api.send('POST', 'tenants', { token: staff, body: { name: 'Bad_Name' } })).status).toBe(
      422,
    );
    const token = await api.send('POST', 'tenants/initech/tokens', {
      token: staff,
      body: { name: 'first', role: 'admin' },
    });
    expect(token.status).toBe(201);
    expect((await api.send('GET', 'tenants', { token: token.body.token })).body.items).toEqual([made.body]);
    expect(
      (await api.send('GET', 'tenants', { token: staff })).body.items.map((t: { name: string }) => t.name),
    ).toEqual(['acme', 'globex', 'initech']);
  });

  test('the platform sees that a tenant exists and is refused what is inside it', async () => {
    for (const path of ['clusters', 'machines', 'operations', 'events', 'providers', 'machine-classes']) {
      expect((await api.send('GET', `tenants/acme/${path}`, { token: staff })).body.code).toBe('FORBIDDEN');
      expect((await api.send('GET', `tenants/nobody/${path}`, { token: staff })).body.code).toBe(
        'TENANT_NOT_FOUND',
      );
    }
    expect(
      (await api.send('POST', 'tenants/acme/templates:sync', { token: staff, body: { template: 'x' } })).body
        .code,
    ).toBe('FORBIDDEN');
  });

  test('a token works until it is revoked, and only its hash is stored', async () => {
    const made = await api.send('POST', 'tenants/acme/tokens', {
      token: admin,
      body: { name: 'robot', role: 'viewer', ttlSeconds: 600 },
    });
    expect(made.body.token).toMatch(/^qt_[\w-]{43}$/);
    expect((await api.send('GET', 'tenants/acme', { token: made.body.token })).status).toBe(200);
    const stored = await api.sql.query(`SELECT *, encode(hash, 'base64') FROM api_tokens`);
    expect(JSON.stringify(stored.rows)).not.toContain(made.body.token);
    const listed = (await api.send('GET', 'tenants/acme/tokens', { token: admin })).body.items.find(
      (t: { name: string }) => t.name === 'robot',
    );
    expect(listed).toMatchObject({ role: 'viewer', revokedAt: null, lastUsedAt: expect.any(String) });
    expect((await api.send('DELETE', 'tenants/acme/tokens/robot', { token: admin })).status).toBe(204);
    expect((await api.send('DELETE', 'tenants/acme/tokens/robot', { token: admin })).status).toBe(204);
    expect((await api.send('GET', 'tenants/acme', { token: made.body.token })).body.code).toBe(
      'TOKEN_INVALID',
    );
    expect((await api.send('DELETE', 'tenants/acme/tokens/nobody', { token: admin })).body.code).toBe(
      'TOKEN_NOT_FOUND',
    );
    expect(
      (
        await api.send('POST', 'tenants/acme/tokens', {
          token: admin,
          body: { name: 'robot', role: 'viewer' },
        })
      ).body.code,
    ).toBe('TOKEN_NAME_TAKEN');
  });

  test('nobody makes a role that is not of its tenant', async () => {
    const body = { name: 'root', role: 'platform-admin' };
    expect((await api.send('POST', 'tenants/acme/tokens', { token: admin, body })).body.code).toBe(
      'TOKEN_ROLE_INVALID',
    );
    expect((await api.send('POST', 'tenants/acme/tokens', { token: staff, body })).body.code).toBe(
      'TOKEN_ROLE_INVALID',
    );
    expect(
      (
        await api.send('POST', 'tenants/platform/tokens', {
          token: staff,
          body: { name: 'x', role: 'admin' },
        })
      ).body.code,
    ).toBe('TOKEN_ROLE_INVALID');
    expect(
      (
        await api.send('POST', 'tenants/platform/tokens', {
          token: staff,
          body: { name: 'night', role: 'platform-support' },
        })
      ).status,
    ).toBe(201);
  });

  test('providers, machine classes and join tokens live in the tenant that made them', async () => {
    const provider = await api.send('POST', 'tenants/acme/providers', {
      token: admin,
      body: { name: 'own' },
    });
    expect(provider.body).toMatchObject({ name: 'own', alias: null, hidden: false, health: 'NeverSeen' });
    expect(
      (await api.send('POST', 'tenants/acme/providers', { token: admin, body: { name: 'own' } })).body.code,
    ).toBe('PROVIDER_NAME_TAKEN');
    expect(
      (
        await api.send('POST', 'tenants/acme/providers', {
          token: admin,
          body: { name: 'sly', alias: 'default' },
        })
      ).body.code,
    ).toBe('PROVIDER_ALIAS_NOT_ALLOWED');
    const join = await api.send('POST', 'tenants/acme/providers/own/join-tokens', { token: admin, body: {} });
    expect(join.body.token).toMatch(/^qj_/);
    const shape = { cpus: 2, memoryBytes: 4 * 1024 ** 3, diskBytes: 20 * 1024 ** 3 };
    const made = await api.send('POST', 'tenants/acme/machine-classes', {
      token: admin,
      body: { name: 'small', provider: 'own', ...shape },
    });
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({ name: 'small', provider: 'own', ...shape }),
    ]);
    expect(
      (
        await api.send('POST', 'tenants/acme/machine-classes', {
          token: admin,
          body: { name: 'x', provider: 'missing', ...shape },
        })
      ).body.code,
    ).toBe('PROVIDER_NOT_FOUND');
    expect((await api.send('DELETE', 'tenants/acme/machine-classes/small', { token: admin })).status).toBe(
      204,
    );
    expect((await api.send('DELETE', 'tenants/acme/machine-classes/small', { token: admin })).body.code).toBe(
      'MACHINE_CLASS_NOT_FOUND',
    );
    const hidden = await api.send('POST', 'tenants/platform/providers', {
      token: staff,
      body: { name: 'second-fleet', alias: 'fast' },
    });
    expect(hidden.body).toMatchObject({ hidden: true, alias: 'fast' });
    expect((await api.send('GET', 'options', { token: admin })).body.providers).toEqual(['default', 'fast']);
  });

  test('equal events are counted, newest first, and named by their cluster', async () => {
    const cluster = { tenantId: api.tenantIds.acme, id: newId() };
    for (const message of ['again', 'again', 'another']) {
      await api.app
        .get(SystemPrisma)
        .$transaction((tx) => putHappening(tx, cluster, { type: 'Warning', reason: 'Flapping', message }));
    }
    const { items } = (await api.send('GET', 'tenants/acme/events', { token: admin })).body;
    expect(items.map((e: { message: string; count: number }) => [e.message, e.count])).toEqual([
      ['another', 1],
      ['again', 2],
    ]);
    const told = await api.sql.query(`SELECT change FROM outbox WHERE kind = 'Event' ORDER BY id`);
    expect(told.rows.map((row: { change: string }) => row.change)).toEqual(['created', 'updated', 'created']);
  });

  test('seeding is repeatable, and its tokens work', async () => {
    await api.sql.query(`UPDATE providers SET alias = 'other' WHERE alias = 'default'`);
    const seed = {
      operatorToken: 'qt_operator-of-the-test',
      demoToken: 'qt_demo-of-the-test',
      hiddenProviderJoinToken: 'qj_hidden',
      demoProviderJoinToken: 'qj_demo',
    };
    const commands = api.app.get(CommandBus);
    await commands.execute(new BootstrapInstallation(seed));
    await commands.execute(new BootstrapInstallation(seed));
    expect((await api.send('GET', 'tenants/demo', { token: seed.operatorToken })).status).toBe(200);
    expect((await api.send('GET', 'tenants/demo/providers', { token: seed.demoToken })).body.items).toEqual([
      expect.objectContaining({ name: 'simulated', hidden: false }),
    ]);
    const joins = await api.sql.query(
      `SELECT p.name, p.alias FROM provider_join_tokens j JOIN providers p ON p.id = j.provider_id WHERE p.name IN ('embedded', 'simulated') ORDER BY 1`,
    );
    expect(joins.rows).toEqual([
      { name: 'embedded', alias: 'default' },
      { name: 'simulated', alias: null },
    ]);
  });

  test('the audit trail of each tenant is one unbroken chain', async () => {
    const [work, audit] = [api.app.get(TenantUnitOfWork), api.app.get(AuditLog)];
    for (const tenantId of Object.values(api.tenantIds)) {
      expect(await work.run(tenantId, (tx) => audit.verify(tx))).toBeUndefined();
    }
    const actions = await api.sql.query(`SELECT DISTINCT action FROM audit_events ORDER BY 1`);
    expect(actions.rows.map((row: { action: string }) => row.action)).toEqual([
      'join-token.create',
      'machine-class.create',
      'machine-class.delete',
      'provider.create',
      'tenant.create',
      'token.create',
      'token.revoke',
    ]);
  });

  test.each([
    `actor = 'token:nobody'`,
    `action = 'x'`,
    `object = 'x'`,
    `outcome = 'denied'`,
    `request_id = 'x'`,
    `detail = '{"x": 1}'`,
    `at = at + interval '1 second'`,
    `hash = sha256('x')`,
    `prev_hash = sha256('x')`,
    `seq = seq + 1000`,
  ])('a row changed behind our back is found: %s', async (change) => {
    const [work, audit] = [api.app.get(TenantUnitOfWork), api.app.get(AuditLog)];
    const tenantId = api.tenantIds.platform;
    const { rows } = await api.sql.query<{ id: string }>(
      `SELECT id FROM audit_events WHERE tenant_id = $1 ORDER BY seq LIMIT 1`,
      [tenantId],
    );
    await api.sql.query(`SET session_replication_role = replica`); // the superuser's way past the trigger
    try {
      await api.sql.query(`CREATE TEMP TABLE kept AS SELECT * FROM audit_events WHERE id = '${rows[0]?.id}'`);
      await api.sql.query(`UPDATE audit_events SET ${change} WHERE id = $1`, [rows[0]?.id]);
      expect(await work.run(tenantId, (tx) => audit.verify(tx))).toBeDefined();
      await api.sql.query(`DELETE FROM audit_events WHERE id = $1`, [rows[0]?.id]);
      expect(await work.run(tenantId, (tx) => audit.verify(tx))).toBeDefined();
      await api.sql.query(`INSERT INTO audit_events SELECT * FROM kept`);
    } finally {
      await api.sql.query(`DROP TABLE IF EXISTS kept; SET session_replication_role = origin`);
    }
    expect(await work.run(tenantId, (tx) => audit.verify(tx))).toBeUndefined();
  });
});
