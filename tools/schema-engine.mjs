// Prisma's schema engine as WebAssembly + driver adapter: no native binary, no download.
import fs from 'node:fs';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import * as bg from '@prisma/schema-engine-wasm/schema_engine_bg';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';

const require = createRequire(import.meta.url);
const wasmFile = path.join(
  path.dirname(require.resolve('@prisma/schema-engine-wasm/schema_engine_bg')),
  'schema_engine_bg.wasm',
);
globalThis.PRISMA_WASM_PANIC_REGISTRY ??= {
  set_message(m) {
    throw new Error(m);
  },
};
const instance = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(wasmFile)), {
  './schema_engine_bg.js': bg,
});
bg.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start();

export const root = path.resolve(import.meta.dirname, '..');
export const filters = { externalTables: [], externalEnums: [] };
const schemaPath = path.join(root, 'prisma/schema.prisma');
export const schema = () => ({ files: [{ path: schemaPath, content: fs.readFileSync(schemaPath, 'utf8') }] });

export function migrationList(baseDir = path.join(root, 'prisma/migrations')) {
  const lock = path.join(baseDir, 'migration_lock.toml');
  const dirs = fs.existsSync(baseDir)
    ? fs
        .readdirSync(baseDir, { withFileTypes: true })
        .filter((d) => d.isDirectory())
        .map((d) => d.name)
        .sort()
    : [];
  return {
    baseDir,
    lockfile: {
      path: 'migration_lock.toml',
      content: fs.existsSync(lock) ? fs.readFileSync(lock, 'utf8') : null,
    },
    shadowDbInitScript: '',
    migrationDirectories: dirs.map((d) => ({
      path: d,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok', value: fs.readFileSync(path.join(baseDir, d, 'migration.sql'), 'utf8') },
      },
    })),
  };
}

// Three repairs that @prisma/adapter-pg 7.10 needs before the engine can use it for migrations.
const PG_CHAR = 18,
  PG_BPCHAR = 1042;
function repair(adapter) {
  // 1. It rejects the catalog type "char" (oid 18), which the engine reads to describe a database.
  const queryRaw = adapter.queryRaw;
  adapter.queryRaw = async function (query) {
    const chars = [];
    const self = Object.create(adapter, {
      performIO: {
        value: async (q) => {
          const res = await adapter.performIO(q);
          res.fields.forEach((f, i) => {
            if (f.dataTypeID === PG_CHAR) {
              chars.push(i);
              f.dataTypeID = PG_BPCHAR;
            }
          });
          return res;
        },
      },
    });
    const out = await queryRaw.call(self, query);
    for (const i of chars) out.columnTypes[i] = ColumnTypeEnum.Character;
    return out;
  };
  // 2. It cuts scripts at every ';' and runs the pieces one by one. One simple query is atomic and
  //    lets functions, DO blocks and quoted semicolons through: what the native engine does.
  adapter.executeScript = async (script) => {
    try {
      await adapter.underlyingDriver().query(script);
    } catch (error) {
      adapter.onError(error);
    }
  };
  return adapter;
}

class EnginePg extends PrismaPg {
  open = [];
  constructor(config) {
    super(config);
    this.cfg = config;
  }
  async connect() {
    const a = repair(await super.connect());
    this.open.push(a);
    return a;
  }
  // 3. Its shadow database is dropped while its own pool is still open, which PostgreSQL refuses.
  async connectToShadowDb() {
    const database = `prisma_migrate_shadow_db_${randomUUID()}`;
    const admin = await super.connect();
    await admin.executeScript(`CREATE DATABASE "${database}"`);
    const shadow = repair(await new PrismaPg({ ...this.cfg, database }).connect());
    const close = shadow.dispose.bind(shadow);
    shadow.dispose = async () => {
      await close();
      await admin.executeScript(`DROP DATABASE "${database}" WITH (FORCE)`);
      await admin.dispose();
    };
    return shadow;
  }
  async closeAll() {
    await Promise.allSettled(this.open.map((a) => a.dispose()));
  }
}

// Never pass connectionString: it beats `database`, so the "shadow" connection would be the real database.
function poolConfig(url) {
  const u = new URL(url);
  return {
    host: u.hostname,
    port: Number(u.port || 5432),
    user: decodeURIComponent(u.username),
    password: decodeURIComponent(u.password),
    database: u.pathname.slice(1),
  };
}

export async function withEngine(url, fn) {
  const pg = new EnginePg({ ...poolConfig(url), max: 1 }); // one session: the engine's advisory lock is session-wide
  const engine = await bg.SchemaEngine.new(
    { datamodels: schema().files.map((f) => [f.path, f.content]) },
    process.env.DEBUG_ENGINE ? console.error : () => {},
    bindMigrationAwareSqlAdapterFactory(pg),
  );
  try {
    return await fn(engine);
  } finally {
    engine.free();
    await pg.closeAll();
  } // closing also frees the lock
}

/** Applies what is missing; returns the names. */
export async function migrate(url) {
  return withEngine(
    url,
    async (e) =>
      (await e.applyMigrations({ migrationsList: migrationList(), filters })).appliedMigrationNames,
  );
}

/** Gives the two service roles (made by the migrations) a login. `url` must be of a role that may do so. */
export async function setLogins(url, passwords) {
  const { default: pg } = await import('pg');
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const [role, password] of Object.entries(passwords)) {
      await client.query(
        `ALTER ROLE ${client.escapeIdentifier(role)} LOGIN PASSWORD ${client.escapeLiteral(password)}`,
      );
    }
  } finally {
    await client.end();
  }
}
