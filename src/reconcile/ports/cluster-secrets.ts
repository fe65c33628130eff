import type { SecretsBundle } from '../../domain/machine-config/secrets-bundle';

/** The secrets bundle of each cluster: made once, kept encrypted, never changed. */
export abstract class ClusterSecrets {
  /** Makes the bundle unless there is one; callers that race get the same. */
  abstract ensure(clusterId: string, talosVersion: string): Promise<void>;
  abstract has(clusterId: string): Promise<boolean>;
  /** @throws DomainError `not-found` CLUSTER_SECRETS_MISSING. */
  abstract load(clusterId: string): Promise<SecretsBundle>;
  /** Nothing signed by its CAs can be made afterwards. Idempotent. */
  abstract destroy(clusterId: string): Promise<void>;
}
