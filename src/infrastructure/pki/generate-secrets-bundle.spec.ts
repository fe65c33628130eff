import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { SecretsBundle } from '../../domain/machine-config/secrets-bundle';
import { generateSecretsBundle } from './generate-secrets-bundle';
import { toStandardLabel } from './pem-labels';
import { RsaKeyPool } from './rsa-key-pool';

const bytesOf = (base64: string): number => Buffer.from(base64, 'base64').length;

describe('generateSecretsBundle', () => {
  const pool = new RsaKeyPool({ size: 1, modulusLength: 1024 });
  let bundle: SecretsBundle;
  beforeAll(async () => {
    bundle = await generateSecretsBundle('1.13.9', pool, new Date());
  });
  afterAll(() => {
    pool.close();
  });

  it('makes secrets of 32 bytes and tokens in the form of kubeadm', () => {
    expect([bundle.cluster.id, bundle.cluster.secret, bundle.secretboxEncryptionSecret].map(bytesOf)).toEqual(
      [32, 32, 32],
    );
    expect(bundle.bootstrapToken).toMatch(/^[0-9a-z]{6}\.[0-9a-z]{16}$/);
    expect(bundle.trustdToken).toMatch(/^[0-9a-z]{6}\.[0-9a-z]{16}$/);
    expect(bundle.bootstrapToken).not.toBe(bundle.trustdToken);
  });

  it.each([
    ['os', 'O=talos', 'ed25519'],
    ['etcd', 'O=etcd', 'ec'],
    ['k8s', 'O=kubernetes', 'ec'],
    ['k8sAggregator', '', 'ec'],
  ] as const)('makes the %s CA', (name, subject, keyType) => {
    const { crt, key } = bundle.certs[name];
    const certificate = new X509Certificate(crt);
    // Node says undefined for an empty subject, and its types do not.
    expect((certificate.subject as string | undefined) ?? '').toBe(subject);
    expect(certificate.publicKey.asymmetricKeyType).toBe(keyType);
    expect(certificate.checkPrivateKey(createPrivateKey(toStandardLabel(key)))).toBe(true);
  });

  it('takes the key of service accounts in PKCS#1', () => {
    expect(bundle.certs.k8sServiceAccountKey).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/);
  });

  it.each([
    ['1.8.4', /^[A-Za-z0-9_-]{43}=$/],
    ['1.13.9', /^[A-Za-z0-9_-]{43}=$/],
    ['1.14.0', /^[A-Za-z0-9+/]{43}=$/],
  ])('writes the cluster id of Talos %s in its alphabet', async (version, pattern) => {
    const ids = await Promise.all(
      Array.from(
        { length: 8 },
        async () => (await generateSecretsBundle(version, pool, new Date())).cluster.id,
      ),
    );
    expect(ids.filter((id) => !pattern.test(id))).toEqual([]);
  });
});
