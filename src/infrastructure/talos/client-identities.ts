import { createHash } from 'node:crypto';
import type { CertificateAndKey, SecretsBundle } from '../../domain/machine-config/secrets-bundle';
import { CertificateAuthority, type LeafRequest } from '../pki/certificate-authority';
import { toStandardLabel } from '../pki/pem-labels';
import { BoundedCache } from '../secrets/bounded-cache';
import type { ClientIdentity } from './talos-connection';

const HOUR = 3_600_000;
/** There is no revocation, so no certificate lives longer than a day. */
const TTL_MS = 24 * HOUR;
/** At half of its life a certificate is replaced. */
const RENEW_MS = TTL_MS / 2;
const CACHED_IDENTITIES = 1024;

type Subject = Pick<LeafRequest, 'commonName' | 'organizations' | 'kind'>;

/** Short-lived certificates with which the platform itself speaks to machines. */
export class ClientIdentities {
  private readonly cache: BoundedCache<Promise<ClientIdentity>>;

  constructor(private readonly now: () => Date) {
    this.cache = new BoundedCache({
      maxEntries: CACHED_IDENTITIES,
      maxAgeMs: RENEW_MS,
      now: () => now().getTime(),
    });
  }

  /** os:admin at the Talos API. */
  talosAdmin({ certs }: SecretsBundle): Promise<ClientIdentity> {
    return this.cached(certs.os, { organizations: ['os:admin'], kind: 'ed25519' });
  }

  /** Past RBAC at the Kubernetes API, which Talos runs without anonymous access even to /readyz. */
  kubernetesAdmin({ certs }: SecretsBundle): Promise<ClientIdentity> {
    return this.cached(certs.k8s, {
      commonName: 'quorate:probe',
      organizations: ['system:masters'],
      kind: 'p256',
    });
  }

  private cached(ca: CertificateAndKey, subject: Subject): Promise<ClientIdentity> {
    const key = createHash('sha256').update(ca.crt).update(JSON.stringify(subject)).digest('hex');
    const cached = this.cache.get(key);
    if (cached !== undefined) {
      return cached;
    }
    const issued = this.issue(ca, subject);
    this.cache.set(key, issued);
    issued.catch(() => this.cache.delete(key));
    return issued;
  }

  private async issue(pair: CertificateAndKey, subject: Subject): Promise<ClientIdentity> {
    const ca = await CertificateAuthority.load(pair);
    const leaf = await ca.issue({ ...subject, usage: 'client', now: this.now(), ttlMs: TTL_MS });
    return { ca: pair.crt, crt: leaf.crt, key: toStandardLabel(leaf.key) };
  }
}
