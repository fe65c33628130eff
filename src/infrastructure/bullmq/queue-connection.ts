/** Where queues live: Redis when a URL is given, else the schema `bullmq` of the database. The rest does not know which. */
import { createPostgresBackend, createRedisBackend, runMigrations, type BackendFactory } from 'bullmq';
import { Pool } from 'pg';

export interface QueueConnectionOptions {
  /** redis:// or rediss://; undefined = PostgreSQL. */
  readonly queueUrl: string | undefined;
  /** Login in role quorate_system. */
  readonly systemUrl: string;
  /** Connections to PostgreSQL, those of the listening workers included. */
  readonly poolSize: number;
}

export interface QueueConnection {
  readonly backend: BackendFactory;
  /** For producers: a hint that cannot be sent now fails now. */
  readonly producer: object;
  /** For workers: waits until the queue is back. */
  readonly worker: object;
  close(): Promise<void>;
}

export function connectQueues(options: QueueConnectionOptions): Promise<QueueConnection> {
  return options.queueUrl === undefined ? onPostgres(options) : Promise.resolve(onRedis(options.queueUrl));
}

async function onPostgres({ systemUrl, poolSize }: QueueConnectionOptions): Promise<QueueConnection> {
  // One pool for all queues and workers; BullMQ would make one for each. A job that a crash of the database takes back
  // was only a hint, so commits need not wait for the disk.
  const pool = new Pool({
    connectionString: systemUrl,
    max: poolSize,
    keepAlive: true,
    application_name: 'quorate-queue',
    options: '-c search_path=bullmq -c synchronous_commit=off',
  });
  pool.on('error', () => undefined);
  await migrateQueues(pool);
  const backend = createPostgresBackend as unknown as BackendFactory;
  return { backend, producer: pool, worker: pool, close: () => pool.end() };
}

/**
 * BullMQ begins with CREATE SCHEMA IF NOT EXISTS, for which PostgreSQL wants the right to make schemas even when there is
 * nothing to make. The schema is made by our own migration, so the role need not have that right.
 */
async function migrateQueues(pool: Pool): Promise<void> {
  const client = await pool.connect();
  const query = (text: string, values?: unknown[]) =>
    client.query(text.startsWith('CREATE SCHEMA IF NOT EXISTS') ? 'SELECT' : text, values);
  try {
    await runMigrations({ query }, 'bullmq');
  } finally {
    client.release();
  }
}

function onRedis(queueUrl: string): QueueConnection {
  const url = new URL(queueUrl);
  const base = {
    host: url.hostname,
    port: Number(url.port || 6379),
    ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
    ...(url.pathname.length > 1 ? { db: Number(url.pathname.slice(1)) } : {}),
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  };
  return {
    backend: createRedisBackend,
    producer: { ...base, enableOfflineQueue: false, maxRetriesPerRequest: 1 },
    worker: { ...base, maxRetriesPerRequest: null },
    close: () => Promise.resolve(),
  };
}
