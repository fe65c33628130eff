/** Isolation beneath the code: whatever a query forgets, the database does not. */
import { Client, Pool } from 'pg';
import { newId } from '../../src/platform/ids';
import { createTestDatabase, type TestDatabase } from '../support/database';

jest.setTimeout(60_000);

describe('row-level security', () => {
  let database: TestDatabase;
  let admin: Client;
  let pool: Pool;
  const [acme, globex] = [newId(), newId()];
  beforeAll(async () => {
    database = await createTestDatabase();
    admin = new Client(database.adminUrl);
    await admin.connect();
    pool = new Pool({ connectionString: database.appUrl, max: 5 });
    await admin.query(
      `INSERT INTO tenants (id, name, display_name) VALUES ($1, 'acme', 'A'), ($2, 'globex', 'G')`,
      [acme, globex],
    );
    for (const tenant of [acme, globex]) {
      await admin.query(
        `INSERT INTO providers (id, tenant_id, name) SELECT gen_random_uuid(), $1, 'p' || n FROM generate_series(1, 5) n`,
        [tenant],
      );
    }
  }, 60_000);
  afterAll(async () => {
    await pool.end();
    await admin.end();
    await database.drop();
  });

  /** One transaction of a pooled connection as that tenant; undefined = nobody said which. */
  async function as<T>(
    tenant: string | undefined,
    work: (client: Pick<Client, 'query'>) => Promise<T>,
  ): Promise<T> {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      if (tenant !== undefined) {
        await client.query(`SELECT set_config('app.tenant_id', $1, true)`, [tenant]);
      }
      return await work(client);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  }
  const tenantTables = async (): Promise<string[]> => {
    const { rows } = await admin.query<{ table_name: string }>(
      `SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY 1`,
    );
    return rows.map((row) => row.table_name);
  };

  test('every table with tenant_id has forced row-level security and a policy for each role', async () => {
    const { rows } = await admin.query<{
      relname: string;
      relrowsecurity: boolean;
      relforcerowsecurity: boolean;
      policies: string[];
    }>(
      `SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity,
              coalesce(array_agg(p.polname::text ORDER BY p.polname) FILTER (WHERE p.polname IS NOT NULL), '{}') AS policies
       FROM pg_class c LEFT JOIN pg_policy p ON p.polrelid = c.oid
       WHERE c.oid = ANY ($1::text[]::regclass[]) GROUP BY c.oid ORDER BY 1`,
      [[...(await tenantTables()), 'tenants']],
    );
    expect(rows.length).toBeGreaterThan(18);
    const secured = {
      relrowsecurity: true,
      relforcerowsecurity: true,
      policies: ['system_access', 'tenant_isolation'],
    };
    expect(rows).toEqual(rows.map(({ relname }) => ({ relname, ...secured })));
  });

  test('neither login can bypass it, and neither owns a table', async () => {
    const roles = await admin.query(
      `SELECT rolname, rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname LIKE 'quorate%' ORDER BY 1`,
    );
    expect(roles.rows).toEqual(
      ['quorate_app', 'quorate_system'].map((rolname) => ({
        rolname,
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
      })),
    );
    const owned = await admin.query(
      `SELECT c.relname FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner WHERE r.rolname LIKE 'quorate%' AND c.relnamespace = 'public'::regnamespace`,
    );
    expect(owned.rows).toEqual([]);
  });

  test('without a tenant there are no rows, in any table that requests may read', async () => {
    for (const table of [...(await tenantTables()), 'tenants']) {
      const {
        rows: [grant],
      } = await admin.query<{ may: boolean }>(
        `SELECT has_table_privilege('quorate_app', $1, 'SELECT') AS may`,
        [table],
      );
      const count = await as(undefined, async (client) =>
        grant?.may === true ? (await client.query(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n : 0,
      );
      expect([table, count]).toEqual([table, 0]);
    }
  });

  test.each(['secrets', 'step_journal', 'reconcile_keys'])(
    'requests have no access to %s at all',
    async (table) => {
      await expect(as(acme, (client) => client.query(`SELECT 1 FROM ${table}`))).rejects.toThrow(
        'permission denied',
      );
    },
  );

  test('a foreign row is not inserted, not moved, not changed and not deleted', async () => {
    const insert = `INSERT INTO providers (id, tenant_id, name) VALUES (gen_random_uuid(), $1, 'intruder')`;
    await expect(as(acme, (client) => client.query(insert, [globex]))).rejects.toThrow('row-level security');
    await expect(
      as(acme, (client) => client.query('UPDATE providers SET tenant_id = $1', [globex])),
    ).rejects.toThrow('row-level security');
    expect(
      (
        await as(acme, (client) =>
          client.query(`UPDATE providers SET name = name || 'x' WHERE tenant_id = $1`, [globex]),
        )
      ).rowCount,
    ).toBe(0);
    expect(
      (await as(acme, (client) => client.query('DELETE FROM providers WHERE tenant_id = $1', [globex])))
        .rowCount,
    ).toBe(0);
    expect((await as(acme, (client) => client.query('SELECT name FROM tenants'))).rows).toEqual([
      { name: 'acme' },
    ]);
  });

  test('two hundred interleaved transactions over five connections never mix', async () => {
    const seen = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const tenant = [acme, globex, undefined][i % 3];
        const rows = await as(tenant, async (client) => {
          await client.query('SELECT pg_sleep(0.001)');
          return (await client.query<{ tenant_id: string }>('SELECT tenant_id FROM providers')).rows;
        });
        return { tenant, owners: [...new Set(rows.map((row) => row.tenant_id))] };
      }),
    );
    expect(seen.filter(({ tenant, owners }) => owners.join() !== (tenant ?? ''))).toEqual([]);
  });

  test('the audit trail is append-only, also for the system role', async () => {
    const system = new Client(database.systemUrl);
    await system.connect();
    await expect(system.query('DELETE FROM audit_events')).rejects.toThrow('append-only');
    await expect(system.query(`UPDATE audit_events SET actor = 'nobody'`)).rejects.toThrow('append-only');
    await system.end();
  });
});
