// One PostgreSQL for the run; `quorate` is migrated once, and each suite clones it (test/support/database.ts).
import { chmodSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../tools/pg.mjs';
import { migrate, setLogins } from '../../tools/schema-engine.mjs';

const fast = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300'];

export default async function globalSetup() {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'quorate-test-pg-'));
  chmodSync(dir, 0o755);
  const server = await startPostgres({ dir, flags: fast.flatMap((f) => ['-c', f]) });
  globalThis.quoratePostgres = { server, dir };
  const admin = new pg.Client(server.url());
  await admin.connect();
  await admin.query('CREATE DATABASE quorate_template');
  await migrate(server.url('quorate_template'));
  await setLogins(server.url('quorate_template'), { quorate_app: 'app', quorate_system: 'system' });
  await admin.end();
  process.env.TEST_POSTGRES_URL = server.url();
}
