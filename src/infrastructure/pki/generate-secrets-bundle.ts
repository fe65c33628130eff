import { randomBytes, randomInt } from 'node:crypto';
import type { SecretsBundle } from '../../domain/machine-config/secrets-bundle';
import { talosContract } from '../../domain/machine-config/talos-contract';
import { CertificateAuthority } from './certificate-authority';

const TOKEN_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;

/** A new bundle, each field as `talosctl gen secrets` makes it. The key of service accounts comes from a pool. */
export async function generateSecretsBundle(
  talosVersion: string,
  serviceAccountKeys: { take(): Promise<string> },
  now: Date,
): Promise<SecretsBundle> {
  const ca = (organization?: string) =>
    CertificateAuthority.create({
      kind: 'p256',
      now,
      ...(organization === undefined ? {} : { organization }),
    });
  const [etcd, k8s, k8sAggregator, os, k8sServiceAccountKey] = await Promise.all([
    ca('etcd'),
    ca('kubernetes'),
    ca(),
    CertificateAuthority.create({ kind: 'ed25519', organization: 'talos', now }),
    serviceAccountKeys.take(),
  ]);
  return {
    cluster: { id: clusterId(talosVersion), secret: secret() },
    bootstrapToken: token(),
    secretboxEncryptionSecret: secret(),
    trustdToken: token(),
    certs: { etcd, k8s, k8sAggregator, k8sServiceAccountKey, os },
  };
}

const secret = (): string => randomBytes(SECRET_BYTES).toString('base64');

/** Opaque to everyone; up to 1.13 in the URL-safe alphabet, with padding. */
function clusterId(talosVersion: string): string {
  const id = secret();
  return talosContract(talosVersion) <= 13 ? id.replaceAll('+', '-').replaceAll('/', '_') : id;
}

/** kubeadm's format, uniformly random. */
function token(): string {
  const characters = (count: number): string =>
    Array.from({ length: count }, () => TOKEN_ALPHABET.charAt(randomInt(TOKEN_ALPHABET.length))).join('');
  return `${characters(6)}.${characters(16)}`;
}
