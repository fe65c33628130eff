/** Keeps secrets out of logs by the name of their field: the last net, not a license to log them. */

const CENSORED = '[redacted]';
const MAX_DEPTH = 6;

/** Compared in lower case without `-` and `_`: `join_token`, `joinToken` and `Join-Token` are one name. */
const SECRET_NAMES = new Set([
  'authorization',
  'cookie',
  'setcookie',
  'password',
  'passphrase',
  'secret',
  'secrets',
  'secretskey',
  'token',
  'jointoken',
  'bootstraptoken',
  'trustdtoken',
  'apitoken',
  'key',
  'privatekey',
  'clientkey',
  'secretboxencryptionsecret',
  'k8sserviceaccountkey',
  'kubeconfig',
  'machineconfig',
  'databaseurl',
  'databasesystemurl',
  'queueurl',
]);

/** `key` is also what a reconcile is about (`cluster:<id>`) and that must stay readable. */
const RECONCILE_KEY = /^[a-z-]+:[0-9a-f-]{36}$/;

function isSecret(name: string, value: unknown): boolean {
  if (!SECRET_NAMES.has(name.toLowerCase().replaceAll(/[-_]/g, ''))) {
    return false;
  }
  return !(typeof value === 'string' && RECONCILE_KEY.test(value));
}

export function redactSecrets(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date || value instanceof Error) {
    return value;
  }
  if (depth >= MAX_DEPTH) {
    return '[deeper]';
  }
  if (ArrayBuffer.isView(value)) {
    return `[${String(value.byteLength)} bytes]`;
  }
  if (Array.isArray(value)) {
    return value.map((item) => redactSecrets(item, depth + 1));
  }
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [
      name,
      isSecret(name, inner) ? CENSORED : redactSecrets(inner, depth + 1),
    ]),
  );
}
