import { applyStrategicPatch } from './strategic-merge';
import { parseConfigDocuments, printConfigDocuments } from './config-document';
import { fixtureInput } from './machine-config-fixtures';
import { renderMachineConfig } from './render-machine-config';
import { validateMachineConfig } from './validate-machine-config';

const versions = ['1.8.4', '1.9.6', '1.10.9', '1.11.6', '1.12.11', '1.13.9', '1.14.0'];

it.each(versions.flatMap((v) => [[v, 'control-plane'] as const, [v, 'worker'] as const]))(
  'takes what is rendered for Talos %s as %s',
  (talosVersion, role) => {
    expect(
      validateMachineConfig(renderMachineConfig(fixtureInput({ talosVersion, role })), talosVersion),
    ).toEqual([]);
  },
);

describe('refuses', () => {
  const verdict = (
    patch: string,
    role: 'control-plane' | 'worker' = 'control-plane',
    talosVersion = '1.13.9',
  ) => {
    const base = parseConfigDocuments(renderMachineConfig(fixtureInput({ role, talosVersion })));
    const yaml = printConfigDocuments(applyStrategicPatch(base, patch));
    return validateMachineConfig(yaml, talosVersion).map((v) => `${v.path} ${v.code}`);
  };

  it.each([
    ['an unknown key', 'machine: {kubelets: {}}', 'machine.kubelets CONFIG_KEY_UNKNOWN'],
    [
      'an unknown key in a list',
      'machine: {files: [{path: /a, mode: 1}]}',
      'machine.files.0.mode CONFIG_KEY_UNKNOWN',
    ],
    ['an unknown key at the top', 'machines: {}', 'machines CONFIG_KEY_UNKNOWN'],
    ['an unknown kind', 'apiVersion: v1alpha1\nkind: FooConfig', 'FooConfig CONFIG_KIND_UNKNOWN'],
    ['a missing CA', 'machine: {ca: {$patch: delete}}', 'machine.ca.crt CONFIG_FIELD_MISSING'],
    ['no disk', 'machine: {install: {disk: {$patch: delete}}}', 'machine.install CONFIG_FIELD_MISSING'],
    ['a wrong type', 'machine: {type: master}', 'machine.type CONFIG_VALUE_INVALID'],
    [
      'an image without a tag',
      'machine: {kubelet: {image: ghcr.io/siderolabs/kubelet}}',
      'machine.kubelet.image CONFIG_VALUE_INVALID',
    ],
    [
      'an endpoint that is no URL',
      'cluster: {controlPlane: {endpoint: "orders:6443"}}',
      'cluster.controlPlane.endpoint CONFIG_VALUE_INVALID',
    ],
    [
      'a discovery service with a path',
      'cluster: {discovery: {registries: {service: {endpoint: "https://a/b"}}}}',
      'cluster.discovery.registries.service.endpoint CONFIG_VALUE_INVALID',
    ],
    [
      'kernel arguments beside the UKI command line',
      'machine: {install: {extraKernelArgs: [a]}}',
      'machine.install.extraKernelArgs CONFIG_CONFLICT',
    ],
    [
      'auto beside a fixed host name',
      'apiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable',
      'HostnameConfig.auto CONFIG_CONFLICT',
    ],
    ['a host name set twice', 'machine: {network: {hostname: x}}', 'HostnameConfig CONFIG_CONFLICT'],
  ])('%s', (_, patch, expected) => {
    expect(verdict(patch)).toContain(expected);
  });

  it('private keys on a worker', () => {
    expect(verdict('machine: {ca: {key: a}}\ncluster: {etcd: {ca: {crt: a}}}', 'worker')).toEqual([
      'machine.ca.key CONFIG_FIELD_FORBIDDEN',
      'cluster.etcd CONFIG_FIELD_FORBIDDEN',
    ]);
  });

  it.each([
    ['1.11.6', ['OOMConfig CONFIG_KIND_UNKNOWN']],
    ['1.12.11', []],
  ])('a kind that is newer than Talos %s', (talosVersion, expected) => {
    expect(verdict('apiVersion: v1alpha1\nkind: OOMConfig', 'worker', talosVersion)).toEqual(expected);
  });

  it('text that is no YAML, no v1alpha1 document, the same document twice', () => {
    const codes = (yaml: string): string[] => validateMachineConfig(yaml, '1.13.9').map((v) => v.code);
    expect(codes('a: [')).toEqual(['CONFIG_NOT_YAML']);
    expect(
      codes('apiVersion: v1alpha1\nkind: OOMConfig\n---\napiVersion: v1alpha1\nkind: OOMConfig'),
    ).toEqual(['CONFIG_DOCUMENT_DUPLICATE', 'CONFIG_FIELD_MISSING']);
  });
});
