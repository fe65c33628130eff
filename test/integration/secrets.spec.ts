import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { RsaKeyPool } from '../../src/infrastructure/pki/rsa-key-pool';
import { SystemPrisma } from '../../src/infrastructure/prisma/prisma-clients';
import { WrappingKey } from '../../src/infrastructure/secrets/envelope';
import { PrismaSecretStore } from '../../src/infrastructure/secrets/prisma-secret-store';
import { StoredClusterSecrets } from '../../src/infrastructure/secrets/stored-cluster-secrets';
import { newId } from '../../src/platform/ids';
import { createTestDatabase, type TestDatabase } from '../support/database';

describe('secrets in the database', () => {
  const key = new WrappingKey(randomBytes(32));
  const serviceAccountKeys = new RsaKeyPool({ size: 0, modulusLength: 1024 });
  let database: TestDatabase;
  let admin: Client;
  let prisma: SystemPrisma;

  const storeWith = (k: WrappingKey = key) => new PrismaSecretStore(prisma, k);
  /** As if in a process of its own: nothing is shared but the database. */
  const secrets = () =>
    new StoredClusterSecrets({ store: storeWith(), serviceAccountKeys, now: () => new Date() });

  beforeAll(async () => {
    database = await createTestDatabase();
    admin = new Client(database.adminUrl);
    await admin.connect();
    prisma = new SystemPrisma({ url: database.systemUrl, poolSize: 4 });
  }, 120_000);

  afterAll(async () => {
    serviceAccountKeys.close();
    await prisma.$disconnect();
    await admin.end();
    await database.drop();
  });

  it('asks to wait while there is no platform tenant', async () => {
    await admin.query(`DELETE FROM tenants WHERE kind = 'platform'`);
    await expect(storeWith().get('x')).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'PLATFORM_TENANT_MISSING',
    });
    await admin.query(
      `INSERT INTO tenants (id, name, display_name, kind) VALUES ($1, 'platform', 'Platform', 'platform')`,
      [newId()],
    );
  });

  it('gives back what was put, keeps the first value, forgets what was deleted', async () => {
    const store = storeWith();
    expect(await store.get('ca')).toBeUndefined();
    const [one, two] = await Promise.all(['one', 'two'].map((v) => store.putIfAbsent('ca', Buffer.from(v))));
    expect(one).toEqual(two);
    expect(await store.get('ca')).toEqual(one);
    await store.delete('ca');
    await store.delete('ca');
    expect([await store.get('ca'), await store.has('ca')]).toEqual([undefined, false]);
  });

  it('keeps nothing readable in the table', async () => {
    await storeWith().putIfAbsent('plain', Buffer.from('attack at dawn'));
    const { rows } = await admin.query<{ envelope: Buffer; key_id: string }>(
      `SELECT envelope, key_id FROM secrets WHERE name = 'plain'`,
    );
    expect(rows[0]?.key_id).toBe(key.id);
    expect(rows[0]?.envelope.includes('attack')).toBe(false);
  });

  it('does not open with another key, nor from another row', async () => {
    const store = storeWith();
    await store.putIfAbsent('a', Buffer.from('A'));
    await store.putIfAbsent('b', Buffer.from('B'));
    await expect(storeWith(new WrappingKey(randomBytes(32))).get('a')).rejects.toMatchObject({
      code: 'SECRET_UNREADABLE',
    });
    await admin.query(
      `UPDATE secrets SET envelope = (SELECT envelope FROM secrets WHERE name = 'a') WHERE name = 'b'`,
    );
    await expect(store.get('b')).rejects.toMatchObject({ code: 'SECRET_UNREADABLE' });
  });

  it('makes one bundle for a cluster, however many processes ask', async () => {
    const clusterId = newId();
    const processes = [secrets(), secrets(), secrets()];
    await expect(processes[0]?.load(clusterId)).rejects.toMatchObject({
      kind: 'not-found',
      code: 'CLUSTER_SECRETS_MISSING',
    });
    await Promise.all(
      processes.flatMap((p) => [p.ensure(clusterId, '1.13.9'), p.ensure(clusterId, '1.13.9')]),
    );
    const bundles = await Promise.all(processes.map((p) => p.load(clusterId)));
    expect(new Set(bundles.map((b) => JSON.stringify(b))).size).toBe(1);
    expect(await secrets().has(clusterId)).toBe(true);
  });

  it('destroys a bundle for good', async () => {
    const clusterId = newId();
    const own = secrets();
    await own.ensure(clusterId, '1.13.9');
    await own.load(clusterId);
    await own.destroy(clusterId);
    await own.destroy(clusterId);
    await expect(own.load(clusterId)).rejects.toMatchObject({ code: 'CLUSTER_SECRETS_MISSING' });
    expect(await own.has(clusterId)).toBe(false);
  });
});
