import { createPrivateKey, X509Certificate } from 'node:crypto';
import { parse } from 'yaml';
import type { SecretsBundle } from '../../domain/machine-config/secrets-bundle';
import { ClusterSecrets } from '../../reconcile/ports/cluster-secrets';
import { generateSecretsBundle } from '../pki/generate-secrets-bundle';
import { RsaKeyPool } from '../pki/rsa-key-pool';
import { BundleKubeconfigIssuer } from './bundle-kubeconfig-issuer';

class OneBundle extends ClusterSecrets {
  constructor(private readonly bundle: SecretsBundle) {
    super();
  }
  ensure = (): Promise<void> => Promise.resolve();
  has = (clusterId: string): Promise<boolean> => Promise.resolve(clusterId === 'c1');
  load = (): Promise<SecretsBundle> => Promise.resolve(this.bundle);
  destroy = (): Promise<void> => Promise.resolve();
}

describe('BundleKubeconfigIssuer', () => {
  const now = new Date();
  const request = {
    clusterId: 'c1',
    clusterName: 'orders',
    endpointHost: 'orders.clusters.example',
    userName: 'eve',
    ttlSeconds: 3600,
  };
  let bundle: SecretsBundle;
  let issuer: BundleKubeconfigIssuer;

  beforeAll(async () => {
    const pool = new RsaKeyPool({ size: 0, modulusLength: 1024 });
    bundle = await generateSecretsBundle('1.13.9', pool, now);
    pool.close();
    issuer = new BundleKubeconfigIssuer({
      secrets: new OneBundle(bundle),
      now: () => now,
      gatewayAddress: '127.0.0.1:8443',
    });
  });

  it('points at the gateway and names the cluster for its routing', async () => {
    const { kubeconfig, expiresAt } = await issuer.issue(request);
    const config = parse(kubeconfig);
    expect(expiresAt.getTime()).toBe(now.getTime() + 3_600_000);
    expect(config['current-context']).toBe('eve@orders');
    expect(config.contexts).toEqual([
      { name: 'eve@orders', context: { cluster: 'orders', namespace: 'default', user: 'eve@orders' } },
    ]);
    expect(config.clusters[0].cluster).toEqual({
      server: 'https://127.0.0.1:8443',
      'tls-server-name': 'orders.clusters.example',
      'certificate-authority-data': Buffer.from(bundle.certs.k8s.crt).toString('base64'),
    });
  });

  it('carries a certificate for the user alone, as long as was asked', async () => {
    const { user } = parse((await issuer.issue(request)).kubeconfig).users[0];
    const text = (field: string): string => Buffer.from(user[field], 'base64').toString('utf8');
    const certificate = new X509Certificate(text('client-certificate-data'));
    expect(certificate.subject.split('\n').sort()).toEqual(['CN=eve', 'O=system:masters']);
    expect(certificate.verify(new X509Certificate(bundle.certs.k8s.crt).publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(text('client-key-data')))).toBe(true);
    expect(Math.abs(Date.parse(certificate.validTo) - now.getTime() - 3_600_000)).toBeLessThan(1000);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  });

  it('asks to wait while the cluster has no secrets', async () => {
    await expect(issuer.issue({ ...request, clusterId: 'c2' })).rejects.toMatchObject({
      code: 'CLUSTER_NOT_READY',
    });
  });
});
