import { parseConfigDocuments, valueAt, type ConfigMap } from './config-document';
import { fixtureInput, fixtureSecrets } from './machine-config-fixtures';
import type { MachineConfigInput } from './machine-config-input';
import { renderMachineConfig } from './render-machine-config';

const render = (over: Partial<MachineConfigInput> = {}): ConfigMap[] =>
  parseConfigDocuments(renderMachineConfig(fixtureInput(over)));
const b64 = (text: string): string => Buffer.from(text).toString('base64');
const base = (documents: ConfigMap[]): ConfigMap => documents[0] ?? {};

describe('the layout by Talos contract', () => {
  it.each([
    [
      '1.8.4',
      {
        network: { hostname: 'orders-cp-1' },
        hostnameDocument: false,
        oldFeatures: true,
        repository: 'installer',
        uki: false,
      },
    ],
    [
      '1.9.6',
      {
        network: { hostname: 'orders-cp-1' },
        hostnameDocument: false,
        oldFeatures: true,
        repository: 'installer',
        uki: false,
      },
    ],
    [
      '1.10.9',
      {
        network: { hostname: 'orders-cp-1' },
        hostnameDocument: false,
        oldFeatures: true,
        repository: 'metal-installer',
        uki: false,
      },
    ],
    [
      '1.11.6',
      {
        network: { hostname: 'orders-cp-1' },
        hostnameDocument: false,
        oldFeatures: true,
        repository: 'metal-installer',
        uki: false,
      },
    ],
    [
      '1.12.11',
      { network: {}, hostnameDocument: true, oldFeatures: false, repository: 'metal-installer', uki: true },
    ],
    [
      '1.13.9',
      {
        network: undefined,
        hostnameDocument: true,
        oldFeatures: false,
        repository: 'metal-installer',
        uki: true,
      },
    ],
    [
      '1.14.0',
      {
        network: undefined,
        hostnameDocument: true,
        oldFeatures: false,
        repository: 'metal-installer',
        uki: true,
      },
    ],
  ])('Talos %s', (talosVersion, expected) => {
    const documents = render({ talosVersion });
    const v1alpha1 = base(documents);
    const hostname = { apiVersion: 'v1alpha1', kind: 'HostnameConfig', hostname: 'orders-cp-1' };
    expect(documents.slice(1)).toEqual(expected.hostnameDocument ? [hostname] : []);
    expect(valueAt(v1alpha1, 'machine.network')).toEqual(expected.network);
    expect(valueAt(v1alpha1, 'machine.install')).toEqual({
      disk: '/dev/sda',
      image: `factory.talos.dev/${expected.repository}/${fixtureInput().schematicId}:v${talosVersion}`,
      wipe: false,
      ...(expected.uki ? { grubUseUKICmdline: true } : {}),
    });
    expect(valueAt(v1alpha1, 'machine.features')).toEqual({
      ...(expected.oldFeatures ? { rbac: true, stableHostname: true, apidCheckExtKeyUsage: true } : {}),
      diskQuotaSupport: true,
      kubePrism: { enabled: true, port: 7445 },
      hostDNS: { enabled: true, forwardKubeDNSToHost: true },
    });
    expect(valueAt(v1alpha1, 'cluster.apiServer.disablePodSecurityPolicy')).toBe(
      expected.oldFeatures ? true : undefined,
    );
    expect(valueAt(v1alpha1, 'cluster.apiServer.certSANs')).toEqual(
      expected.oldFeatures ? ['orders.clusters.example', '127.0.0.1'] : ['127.0.0.1'],
    );
  });

  it('refuses a Talos whose layout is not known', () => {
    expect(() => render({ talosVersion: '1.7.7' })).toThrow(
      'no machine config layout is known for Talos 1.7.7',
    );
    expect(() => render({ talosVersion: '1.15.0' })).toThrow('1.15.0');
  });
});

describe('a control plane', () => {
  const v1alpha1 = base(render({ discoveryEndpoint: 'http://127.0.0.1:3000/', skipNodeRegistration: true }));

  it.each<[string, unknown]>([
    ['version', 'v1alpha1'],
    ['persist', true],
    ['machine.type', 'controlplane'],
    ['machine.ca', { crt: b64(fixtureSecrets.certs.os.crt), key: b64(fixtureSecrets.certs.os.key) }],
    ['machine.certSANs', ['127.0.0.1']],
    [
      'machine.kubelet',
      {
        image: 'ghcr.io/siderolabs/kubelet:v1.34.1',
        defaultRuntimeSeccompProfileEnabled: true,
        skipNodeRegistration: true,
        disableManifestsDirectory: true,
      },
    ],
    ['machine.nodeLabels', { 'node.kubernetes.io/exclude-from-external-load-balancers': '' }],
    ['cluster.id', fixtureSecrets.cluster.id],
    ['cluster.secret', fixtureSecrets.cluster.secret],
    ['cluster.clusterName', 'orders'],
    ['cluster.controlPlane', { endpoint: 'https://orders.clusters.example:8443' }],
    [
      'cluster.network',
      { dnsDomain: 'cluster.local', podSubnets: ['10.244.0.0/16'], serviceSubnets: ['10.96.0.0/12'] },
    ],
    ['cluster.token', 'abcdef.0123456789abcdef'],
    ['cluster.secretboxEncryptionSecret', fixtureSecrets.secretboxEncryptionSecret],
    ['cluster.ca', { crt: b64(fixtureSecrets.certs.k8s.crt), key: b64(fixtureSecrets.certs.k8s.key) }],
    [
      'cluster.aggregatorCA',
      { crt: b64(fixtureSecrets.certs.k8sAggregator.crt), key: b64(fixtureSecrets.certs.k8sAggregator.key) },
    ],
    ['cluster.serviceAccount', { key: b64(fixtureSecrets.certs.k8sServiceAccountKey) }],
    [
      'cluster.etcd',
      { ca: { crt: b64(fixtureSecrets.certs.etcd.crt), key: b64(fixtureSecrets.certs.etcd.key) } },
    ],
    ['cluster.controllerManager', { image: 'registry.k8s.io/kube-controller-manager:v1.34.1' }],
    ['cluster.proxy', { image: 'registry.k8s.io/kube-proxy:v1.34.1' }],
    ['cluster.scheduler', { image: 'registry.k8s.io/kube-scheduler:v1.34.1' }],
    ['cluster.apiServer.image', 'registry.k8s.io/kube-apiserver:v1.34.1'],
    [
      'cluster.apiServer.auditPolicy',
      { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] },
    ],
    [
      'cluster.discovery',
      {
        enabled: true,
        registries: { kubernetes: { disabled: true }, service: { endpoint: 'http://127.0.0.1:3000/' } },
      },
    ],
  ])('%s', (path, expected) => {
    expect(valueAt(v1alpha1, path)).toEqual(expected);
  });

  it('keeps a token that looks like a number a string', () => {
    expect(renderMachineConfig(fixtureInput())).toContain('token: "123456.1234567890123456"');
  });
});

describe('a worker', () => {
  const text = renderMachineConfig(fixtureInput({ role: 'worker' }));
  const v1alpha1 = base(parseConfigDocuments(text));

  it('holds no private key and nothing of the control plane', () => {
    expect(valueAt(v1alpha1, 'machine.ca')).toEqual({ crt: b64(fixtureSecrets.certs.os.crt), key: '' });
    expect(valueAt(v1alpha1, 'cluster.ca')).toEqual({ crt: b64(fixtureSecrets.certs.k8s.crt), key: '' });
    expect(Object.keys(valueAt(v1alpha1, 'cluster') as ConfigMap).sort()).toEqual([
      'ca',
      'clusterName',
      'controlPlane',
      'discovery',
      'id',
      'network',
      'secret',
      'token',
    ]);
    const secrets = [
      fixtureSecrets.secretboxEncryptionSecret,
      ...Object.values(fixtureSecrets.certs).map((c) => b64(typeof c === 'string' ? c : c.key)),
    ];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });

  it('has the type worker and no label of the control plane', () => {
    expect(valueAt(v1alpha1, 'machine.type')).toBe('worker');
    expect(valueAt(v1alpha1, 'machine.nodeLabels')).toBeUndefined();
  });
});

it('takes IPv6 networks for a literal IPv6 endpoint', () => {
  const v1alpha1 = base(render({ endpoint: 'https://[fd00::1]:6443', talosVersion: '1.11.6' }));
  expect(valueAt(v1alpha1, 'cluster.network.podSubnets')).toEqual(['fc00:db8:10::/56']);
  expect(valueAt(v1alpha1, 'cluster.network.serviceSubnets')).toEqual(['fc00:db8:20::/112']);
  expect(valueAt(v1alpha1, 'cluster.apiServer.certSANs')).toEqual(['fd00::1', '127.0.0.1']);
});

describe('patches', () => {
  const patch = (name: string, weight: number, content: string, origin: 'tenant' | 'managed' = 'tenant') => ({
    name,
    weight,
    origin,
    content,
  });

  it('apply by weight, whatever their order, and the highest wins', () => {
    const patches = [
      patch('managed', 900, 'machine: {sysctls: {a: managed}}', 'managed'),
      patch('cluster', 100, 'machine: {sysctls: {a: cluster, b: cluster}, certSANs: [one]}'),
      patch('machine', 400, 'machine: {sysctls: {a: machine, b: machine}, certSANs: [two]}'),
    ];
    const v1alpha1 = base(render({ patches }));
    expect(valueAt(v1alpha1, 'machine.sysctls')).toEqual({ a: 'managed', b: 'machine' });
    expect(valueAt(v1alpha1, 'machine.certSANs')).toEqual(['127.0.0.1', 'one', 'two']);
  });

  it('render the same text again', () => {
    const input = fixtureInput({ patches: [patch('a', 100, 'machine: {certSANs: [x]}')] });
    expect(renderMachineConfig(input)).toBe(renderMachineConfig(input));
  });

  it('may replace the host name document', () => {
    const content =
      'apiVersion: v1alpha1\nkind: HostnameConfig\n$patch: delete\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable';
    expect(render({ patches: [patch('stable', 100, content)] })[1]).toEqual({
      apiVersion: 'v1alpha1',
      kind: 'HostnameConfig',
      auto: 'stable',
    });
  });

  it('name the tenant patch that does not apply, and only the kind of a hidden one', () => {
    const bad = 'machine: {type: {a: 1}}';
    expect(() => render({ patches: [patch('mine', 100, bad)] })).toThrow(
      'patch "mine": machine.type: a mapping cannot be merged into a scalar',
    );
    expect(() => render({ patches: [patch('secret-name', 900, bad, 'managed')] })).toThrow(
      'a patch of the platform: machine.type',
    );
  });
});
