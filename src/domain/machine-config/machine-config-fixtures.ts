/** Inputs for the specs of this folder: a bundle of the right shape whose certificates are only words. */
import type { MachineConfigInput } from './machine-config-input';
import type { SecretsBundle } from './secrets-bundle';

const pem = (label: string, body: string): string =>
  `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
const pair = (name: string, label = 'EC PRIVATE KEY') => ({
  crt: pem('CERTIFICATE', `${name}Crt`),
  key: pem(label, `${name}Key`),
});

export const fixtureSecrets: SecretsBundle = {
  cluster: {
    id: 'aWRpZGlkaWRpZGlkaWRpZGlkaWRpZGlkaWRpZGlkaWQ=',
    secret: 'c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2U=',
  },
  bootstrapToken: 'abcdef.0123456789abcdef',
  secretboxEncryptionSecret: 'Ym94Ym94Ym94Ym94Ym94Ym94Ym94Ym94Ym94Ym94Ym8=',
  trustdToken: '123456.1234567890123456',
  certs: {
    etcd: pair('etcd'),
    k8s: pair('k8s'),
    k8sAggregator: pair('aggregator'),
    k8sServiceAccountKey: pem('RSA PRIVATE KEY', 'serviceAccountKey'),
    os: pair('os', 'ED25519 PRIVATE KEY'),
  },
};

export function fixtureInput(over: Partial<MachineConfigInput> = {}): MachineConfigInput {
  return {
    clusterName: 'orders',
    role: 'control-plane',
    hostname: 'orders-cp-1',
    endpoint: 'https://orders.clusters.example:8443',
    talosVersion: '1.13.9',
    kubernetesVersion: '1.34.1',
    installDisk: '/dev/sda',
    schematicId: '376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba',
    certSANs: ['127.0.0.1'],
    skipNodeRegistration: false,
    secrets: fixtureSecrets,
    patches: [],
    ...over,
  };
}
