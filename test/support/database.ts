/** A migrated database of its own for one suite, with the two logins of production. */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  readonly appUrl: string;
  readonly systemUrl: string;
  /** Superuser: for assertions that must see everything. */
  readonly adminUrl: string;
  drop(): Promise<void>;
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const base = process.env['TEST_POSTGRES_URL'];
  if (base === undefined) {
    throw new Error('run this suite in the integration project: it needs the global setup');
  }
  const name = `t_${randomBytes(6).toString('hex')}`;
  const admin = new Client(base);
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE quorate_template`);
  await admin.end();
  const url = (user?: string, password?: string): string => {
    const u = new URL(base);
    u.pathname = `/${name}`;
    if (user !== undefined && password !== undefined) {
      u.username = user;
      u.password = password;
    }
    return u.toString();
  };
  return {
    appUrl: url('quorate_app', 'app'),
    systemUrl: url('quorate_system', 'system'),
    adminUrl: url(),
    async drop() {
      const client = new Client(base);
      await client.connect();
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await client.end();
    },
  };
}
