import { isMap, parseAllDocuments, parseDocument } from 'yaml';
import type { SecretsBundle } from '../../src/domain/machine-config/secrets-bundle';
import { ConfigRefused } from '../../src/simulator/config/parse-config';
import { judgeConfig } from '../../src/simulator/config/validate-config';
import { newSecrets, renderConfig } from '../support/simulated-cloud';

let secrets: SecretsBundle;

beforeAll(async () => {
  secrets = await newSecrets();
});

function refusal(text: string, minor = 13): string {
  try {
    judgeConfig(text, minor);
  } catch (error) {
    if (error instanceof ConfigRefused) {
      return error.message;
    }
    throw error;
  }
  return 'accepted';
}

/** The rendered config with one value of the v1alpha1 document set, or removed. */
function changed(path: string, value: unknown, role: 'control-plane' | 'worker' = 'control-plane'): string {
  const documents = parseAllDocuments(renderConfig(secrets, 'node-1', { role }));
  const first = documents.find((document) => isMap(document.contents) && !document.has('kind'));
  const keys = path.split('.');
  if (value === undefined) {
    first?.deleteIn(keys);
  } else {
    first?.setIn(keys, value);
  }
  return documents.map(String).join('---\n').replaceAll('---\n---\n', '---\n');
}

describe('what the renderer makes is accepted', () => {
  for (const [talosVersion, kubernetesVersion] of [
    ['1.8.4', '1.31.4'],
    ['1.9.6', '1.32.4'],
    ['1.10.9', '1.33.6'],
    ['1.11.5', '1.34.1'],
    ['1.12.4', '1.35.2'],
    ['1.13.9', '1.36.3'],
    ['1.14.0', '1.37.0'],
  ] as const) {
    for (const role of ['control-plane', 'worker'] as const) {
      test(`${role} of Talos ${talosVersion}`, () => {
        const text = renderConfig(secrets, 'node-1', { role, talosVersion, kubernetesVersion });
        expect(refusal(text, Number(talosVersion.split('.')[1]))).toBe('accepted');
      });
    }
  }
});

describe('refused in the v1alpha1 document', () => {
  const table: readonly [string, unknown, RegExp, ('control-plane' | 'worker')?][] = [
    ['surprise', true, /unknown keys found during decoding:\n {2}surprise/],
    ['machine.surprise', {}, /machine\.surprise/],
    ['machine.kubelet.nodeIP', { validSubnet: [] }, /machine\.kubelet\.nodeIP\.validSubnet/],
    ['cluster.apiServer.surprise', 'x', /cluster\.apiServer\.surprise/],
    ['cluster.etcd.listenPeers', [], /cluster\.etcd\.listenPeers/],
    ['machine.install.wipe', 'perhaps', /machine\.install\.wipe: cannot unmarshal into bool/],
    ['version', undefined, /version/],
    ['persist', false, /persist/],
    ['machine.type', 'master', /unknown machine type "master"/],
    ['machine.token', 'short', /machine\.token/],
    ['machine.ca', undefined, /machine\.ca/],
    ['machine.ca.key', '', /CA key is required/],
    ['machine.ca.crt', 'bm90IGEgY2VydGlmaWNhdGU=', /failed to parse PEM block/],
    ['machine.ca.crt', 'not base64!', /illegal base64/],
    ['machine.install', undefined, /install instructions are required/],
    ['machine.install.disk', undefined, /install disk or disk selector/],
    ['machine.nodeLabels', { 'a b': 'c' }, /invalid key "a b"/],
    ['machine.nodeTaints', { dedicated: 'x:Sometimes' }, /invalid effect/],
    ['machine.kubelet.image', 'ghcr.io/siderolabs/kubelet:v1.29.0', /too old/],
    ['machine.kubelet.image', 'ghcr.io/siderolabs/kubelet:latest', /no version in its tag/],
    ['cluster.apiServer.image', 'registry.k8s.io/kube-apiserver:v1.37.0', /too new/],
    ['cluster.controlPlane.endpoint', undefined, /endpoint is required/],
    ['cluster.controlPlane.endpoint', 'orders', /invalid controlplane endpoint/],
    ['cluster.token', 'x', /cluster\.token/],
    ['cluster.ca', undefined, /cluster\.ca is required/],
    ['cluster.aggregatorCA', undefined, /cluster\.aggregatorCA is required/],
    ['cluster.etcd.ca', undefined, /cluster\.etcd\.ca is required/],
    ['cluster.serviceAccount.key', 'AAAA', /serviceAccount\.key/],
    ['cluster.secretboxEncryptionSecret', undefined, /encryption secret is required/],
    ['cluster.id', undefined, /requires \.cluster\.id/],
    ['cluster.network.dnsDomain', 'not a domain', /not a valid DNS name/],
    ['cluster.network.podSubnets', ['10.244.0.0/99'], /not a valid subnet/],
    ['cluster.network.cni', { name: 'calico' }, /cni name/],
    [
      'cluster.discovery.registries.service.endpoint',
      'https://discovery.example/path',
      /path should be empty/,
    ],
    ['machine.network', { hostname: 'other' }, /static hostname is already set/],
    ['machine.features.stableHostname', true, /stable hostname is already set/],
    ['cluster.etcd', { ca: {} }, /etcd configuration is not allowed/, 'worker'],
    ['machine.ca.key', 'AAAA', /not allowed on non-controlplane nodes/, 'worker'],
    ['cluster.ca.key', 'AAAA', /not allowed on non-controlplane nodes/, 'worker'],
  ];
  for (const [path, value, reason, role] of table) {
    test(`${path} = ${JSON.stringify(value)}${role === undefined ? '' : ` (${role})`}`, () => {
      expect(refusal(changed(path, value, role))).toMatch(reason);
    });
  }
});

describe('refused among the other documents', () => {
  const table: readonly [string, string, RegExp, number?][] = [
    ['an unknown kind', 'apiVersion: v1alpha1\nkind: SurpriseConfig', /not registered/],
    ['a kind of a later Talos', 'apiVersion: v1alpha1\nkind: KubeletConfig', /not registered/],
    [
      'an unknown key',
      'apiVersion: v1alpha1\nkind: KubeSpanConfig\nenable: true',
      /unknown keys.*\n {2}enable/,
    ],
    [
      'a second hostname',
      'apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: other',
      /duplicate document/,
    ],
    ['a second v1alpha1 document', 'version: v1alpha1', /multiple v1alpha1/],
    ['no name', 'apiVersion: v1alpha1\nkind: TrustedRootsConfig\ncertificates: x', /name must be specified/],
    ['a list', '- a', /not a YAML mapping/],
  ];
  for (const [what, document, reason, minor] of table) {
    test(what, () => {
      expect(refusal(`${renderConfig(secrets, 'node-1')}\n---\n${document}\n`, minor)).toMatch(reason);
    });
  }

  test('hostname and auto together', () => {
    const text = renderConfig(secrets, 'node-1').replace(
      'kind: HostnameConfig',
      'kind: HostnameConfig\nauto: stable',
    );
    expect(refusal(text)).toMatch(/'auto' and 'hostname' cannot be set at the same time/);
  });

  test('HostnameConfig before 1.12', () => {
    const old = renderConfig(secrets, 'node-1', { talosVersion: '1.11.5' });
    const text = `${old}---\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: node-1\n`;
    expect(refusal(text, 11)).toMatch(/HostnameConfig.*not registered/);
  });

  test('fields of a later Talos', () => {
    expect(refusal(renderConfig(secrets, 'node-1'), 11)).toMatch(/machine\.install\.grubUseUKICmdline/);
  });

  test('a key twice', () => {
    expect(refusal(`debug: false\n${renderConfig(secrets, 'node-1')}`)).toMatch(/yaml: /);
  });
});

test('several problems are told together, one a line', () => {
  const document = parseDocument('machine: {type: x, token: y}\ncluster: {}\nversion: v1alpha1');
  const lines = refusal(document.toString()).split('\n');
  expect(lines[0]).toMatch(/^configuration validation failed: \d+ errors occurred:$/);
  expect(lines.filter((line) => line.startsWith('\t* ')).length).toBeGreaterThan(4);
});
