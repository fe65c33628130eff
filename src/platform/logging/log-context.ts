import { AsyncLocalStorage } from 'node:async_hooks';

/** Who and what the current work is for; every log line written inside carries it. */
export interface LogContext {
  readonly requestId?: string;
  /** Tenant id, never its name. */
  readonly tenant?: string;
  /** Object kind of a reconcile: `cluster`. */
  readonly kind?: string;
  /** Reconcile key: `cluster:<id>`. */
  readonly key?: string;
}

const storage = new AsyncLocalStorage<LogContext>();

/** Inner fields win over outer ones. */
export function withLogContext<T>(fields: LogContext, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...fields }, work);
}

export function currentLogContext(): LogContext {
  return storage.getStore() ?? {};
}
