/** Secrets of the platform by name, encrypted at rest. */
export abstract class SecretStore {
  abstract get(name: string): Promise<Uint8Array | undefined>;
  abstract has(name: string): Promise<boolean>;
  /** Answers what is stored afterwards: of several that race, the first one's value. */
  abstract putIfAbsent(name: string, value: Uint8Array, options?: PutOptions): Promise<Uint8Array>;
  /** Idempotent. */
  abstract delete(name: string): Promise<void>;
}

export interface PutOptions {
  readonly clusterId?: string;
}
