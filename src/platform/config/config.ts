/** The one reader of the environment. Every key is here; all problems are reported together at start. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

export const ROLES = ['api', 'providers', 'worker', 'kube-gateway'] as const;
export type Role = (typeof ROLES)[number];

const port = z.coerce.number().int().min(0).max(65535);
const flag = z.enum(['true', 'false']).transform((v) => v === 'true');

const Schema = z.object({
  ROLES: z
    .string()
    .default(ROLES.join(','))
    .transform((v) => v.split(',').map((r) => r.trim()))
    .pipe(z.array(z.enum(ROLES)).min(1)),
  LISTEN_HOST: z.string().default('127.0.0.1'),
  HTTP_PORT: port.default(8080),
  PROVIDER_PORT: port.default(8081),
  KUBE_GATEWAY_PORT: port.default(8443),
  /** URL under which people reach the API. */
  PUBLIC_URL: z.url().default('http://127.0.0.1:8080'),
  /** host:port under which kubectl and kubelets reach the gateway. */
  KUBE_GATEWAY_ADDRESS: z.string().default('127.0.0.1:8443'),
  /** Names that the certificate of the providers' door carries. */
  PROVIDER_NAMES: z
    .string()
    .default('localhost,127.0.0.1')
    .transform((v) => v.split(',')),
  /** Each cluster's endpoint is a name under this domain; the gateway routes by it (SNI). */
  CLUSTER_DOMAIN: z.string().default('clusters.quorate.internal'),
  /** Login in role quorate_app: row-level security applies. */
  DATABASE_URL: z.string(),
  /** Login in role quorate_system: the cross-tenant paths. */
  DATABASE_SYSTEM_URL: z.string(),
  DATABASE_POOL: z.coerce.number().int().min(1).max(100).default(8),
  /** redis:// or rediss://; without it the queues live in PostgreSQL (schema bullmq). */
  QUEUE_URL: z.string().optional(),
  WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(200).default(16),
  /** Service-account keys kept ready; one costs seconds of CPU. */
  KEY_POOL_SIZE: z.coerce.number().int().min(1).max(1000).default(4),
  /** 32 bytes, base64: wraps the data keys of secrets. */
  SECRETS_KEY: z.string().refine((v) => Buffer.from(v, 'base64').length === 32, 'must be 32 bytes in base64'),
  /** Turns managed control planes on for the installation. */
  MANAGED_CONTROL_PLANES: flag.default(true),
  /**
   * Lets tenants bring infrastructure providers of their own. Their agents name the addresses that this server then
   * dials, so leave it off where it can reach what tenants must not.
   */
  TENANT_PROVIDERS: flag.default(false),
  /** Discovery service of the machines, https://host[:port]/ or http:// in plaintext. */
  DISCOVERY_URL: z.url().default('https://discovery.talos.dev/'),
  ALLOW_PRERELEASES: flag.default(false),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

/** What may stand in the environment; `.env.example` shows each of them. */
export const CONFIG_KEYS: readonly string[] = Object.keys(Schema.shape);

export type ConfigValues = z.output<typeof Schema>;

/** Injectable, frozen configuration. */
export class Config {
  constructor(readonly values: ConfigValues) {}

  has(role: Role): boolean {
    return this.values.ROLES.includes(role);
  }
}

export class ConfigError extends Error {}

/** `NAME_FILE` names a file that holds the value of NAME: for mounted secrets. */
function withFiles(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const out: Record<string, string | undefined> = {};
  for (const key of CONFIG_KEYS) {
    const file = env[`${key}_FILE`];
    out[key] = env[key] ?? (file === undefined ? undefined : readFileSync(file, 'utf8').trim());
  }
  return out;
}

export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = Schema.safeParse(withFiles(env));
  if (parsed.success) {
    return new Config(Object.freeze(parsed.data));
  }
  const lines = parsed.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`);
  throw new ConfigError(`configuration is not usable:\n  ${lines.join('\n  ')}`);
}
