import type { SecretsBundle } from '../../domain/machine-config/secrets-bundle';
import { DomainError } from '../../domain/shared/errors';
import { ClusterSecrets } from '../../reconcile/ports/cluster-secrets';
import type { SecretStore } from '../../reconcile/ports/secret-store';
import { generateSecretsBundle } from '../pki/generate-secrets-bundle';
import { BoundedCache } from './bounded-cache';

const CACHED_BUNDLES = 256;
/** Another process may have destroyed the bundle meanwhile. */
const CACHED_MS = 5 * 60_000;

export interface StoredClusterSecretsOptions {
  readonly store: SecretStore;
  readonly serviceAccountKeys: { take(): Promise<string> };
  readonly now: () => Date;
}

const nameOf = (clusterId: string): string => `cluster:${clusterId}`;

export class StoredClusterSecrets extends ClusterSecrets {
  private readonly cache: BoundedCache<SecretsBundle>;
  /** A bundle costs seconds of CPU: one at a time per cluster. */
  private readonly making = new Map<string, Promise<void>>();

  constructor(private readonly options: StoredClusterSecretsOptions) {
    super();
    const now = () => options.now().getTime();
    this.cache = new BoundedCache({ maxEntries: CACHED_BUNDLES, maxAgeMs: CACHED_MS, now });
  }

  ensure(clusterId: string, talosVersion: string): Promise<void> {
    const running = this.making.get(clusterId);
    if (running !== undefined) {
      return running;
    }
    const made = this.make(clusterId, talosVersion).finally(() => this.making.delete(clusterId));
    this.making.set(clusterId, made);
    return made;
  }

  has(clusterId: string): Promise<boolean> {
    return this.options.store.has(nameOf(clusterId));
  }

  async load(clusterId: string): Promise<SecretsBundle> {
    const cached = this.cache.get(clusterId);
    if (cached !== undefined) {
      return cached;
    }
    const stored = await this.options.store.get(nameOf(clusterId));
    if (stored === undefined) {
      throw new DomainError(
        'not-found',
        'CLUSTER_SECRETS_MISSING',
        'the cluster has no secrets yet, or no longer',
      );
    }
    const bundle = JSON.parse(Buffer.from(stored).toString('utf8')) as SecretsBundle;
    this.cache.set(clusterId, bundle);
    return bundle;
  }

  async destroy(clusterId: string): Promise<void> {
    this.cache.delete(clusterId);
    await this.options.store.delete(nameOf(clusterId));
  }

  private async make(clusterId: string, talosVersion: string): Promise<void> {
    const { store, serviceAccountKeys, now } = this.options;
    if (await store.has(nameOf(clusterId))) {
      return;
    }
    const bundle = await generateSecretsBundle(talosVersion, serviceAccountKeys, now());
    await store.putIfAbsent(nameOf(clusterId), Buffer.from(JSON.stringify(bundle)), { clusterId });
  }
}
