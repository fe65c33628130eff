import { DomainError } from '../shared/errors';
import { parseConfigDocuments, printConfigDocuments } from './config-document';
import { applyStrategicPatch } from './strategic-merge';

const merge = (base: string, ...patches: string[]): unknown =>
  parseConfigDocuments(printConfigDocuments(patches.reduce(applyStrategicPatch, parseConfigDocuments(base))));
const documents = (yaml: string): unknown => parseConfigDocuments(yaml);

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return error instanceof DomainError ? `${error.code}: ${error.message}` : String(error);
  }
  return 'accepted';
}

describe('applyStrategicPatch', () => {
  it.each([
    [
      'a scalar wins',
      'machine: {type: worker}',
      'machine: {type: controlplane}',
      'machine: {type: controlplane}',
    ],
    ['an empty string unsets nothing', 'machine: {token: a}', 'machine: {token: ""}', 'machine: {token: a}'],
    [
      'zero unsets nothing',
      'machine: {network: {kubespan: {mtu: 1420}}}',
      'machine: {network: {kubespan: {mtu: 0}}}',
      'machine: {network: {kubespan: {mtu: 1420}}}',
    ],
    [
      'false is a value',
      'machine: {install: {wipe: true}}',
      'machine: {install: {wipe: false}}',
      'machine: {install: {wipe: false}}',
    ],
    [
      'null changes nothing',
      'machine: {kubelet: {image: a}}',
      'machine: {kubelet: null}',
      'machine: {kubelet: {image: a}}',
    ],
    [
      'mappings merge deep',
      'machine: {sysctls: {a: "1"}}',
      'machine: {sysctls: {b: "2"}}',
      'machine: {sysctls: {a: "1", b: "2"}}',
    ],
    [
      'lists append without looking for doubles',
      'machine: {certSANs: [a, b]}',
      'machine: {certSANs: [b]}',
      'machine: {certSANs: [a, b, b]}',
    ],
    [
      'pod subnets are replaced',
      'cluster: {network: {podSubnets: [10.0.0.0/8]}}',
      'cluster: {network: {podSubnets: [10.1.0.0/16]}}',
      'cluster: {network: {podSubnets: [10.1.0.0/16]}}',
    ],
    [
      'the audit policy is replaced',
      'cluster: {apiServer: {auditPolicy: {kind: Policy, rules: [{level: Metadata}]}}}',
      'cluster: {apiServer: {auditPolicy: {rules: []}}}',
      'cluster: {apiServer: {auditPolicy: {rules: []}}}',
    ],
    [
      'admission control merges by name, its configuration deep',
      'cluster: {apiServer: {admissionControl: [{name: PodSecurity, configuration: {defaults: {enforce: baseline}, exemptions: {namespaces: [kube-system]}}}]}}',
      'cluster: {apiServer: {admissionControl: [{name: PodSecurity, configuration: {defaults: {enforce: privileged}, exemptions: {namespaces: [a]}}}, {name: Other}]}}',
      'cluster: {apiServer: {admissionControl: [{name: PodSecurity, configuration: {defaults: {enforce: privileged}, exemptions: {namespaces: [kube-system, a]}}}, {name: Other}]}}',
    ],
    [
      'interfaces merge by name',
      'machine: {network: {interfaces: [{interface: eth0, mtu: 1500}]}}',
      'machine: {network: {interfaces: [{interface: eth0, dhcp: true}, {interface: eth1}]}}',
      'machine: {network: {interfaces: [{interface: eth0, mtu: 1500, dhcp: true}, {interface: eth1}]}}',
    ],
    [
      'interfaces merge by equal selector',
      'machine: {network: {interfaces: [{deviceSelector: {driver: virtio}, mtu: 9000}]}}',
      'machine: {network: {interfaces: [{deviceSelector: {driver: virtio}, dhcp: true}]}}',
      'machine: {network: {interfaces: [{deviceSelector: {driver: virtio}, mtu: 9000, dhcp: true}]}}',
    ],
    [
      'vlans merge by id',
      'machine: {network: {interfaces: [{interface: eth0, vlans: [{vlanId: 5, mtu: 1}]}]}}',
      'machine: {network: {interfaces: [{interface: eth0, vlans: [{vlanId: 5, dhcp: true}, {vlanId: 6}]}]}}',
      'machine: {network: {interfaces: [{interface: eth0, vlans: [{vlanId: 5, mtu: 1, dhcp: true}, {vlanId: 6}]}]}}',
    ],
    [
      'extraArgs replace by key',
      'cluster: {etcd: {extraArgs: {a: "1", b: "2"}}}',
      'cluster: {etcd: {extraArgs: {b: ""}}}',
      'cluster: {etcd: {extraArgs: {a: "1", b: ""}}}',
    ],
    [
      'an unmatched document is appended',
      'machine: {}',
      'apiVersion: v1alpha1\nkind: OOMConfig',
      'machine: {}\n---\napiVersion: v1alpha1\nkind: OOMConfig',
    ],
    [
      'documents match by kind and name',
      'apiVersion: v1alpha1\nkind: LinkConfig\nname: a\nmtu: 1',
      'apiVersion: v1alpha1\nkind: LinkConfig\nname: a\nup: true\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: b',
      'apiVersion: v1alpha1\nkind: LinkConfig\nname: a\nmtu: 1\nup: true\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: b',
    ],
    [
      'network rules are replaced',
      'apiVersion: v1alpha1\nkind: NetworkRuleConfig\nname: a\ningress: [{subnet: 10.0.0.0/8}]',
      'apiVersion: v1alpha1\nkind: NetworkRuleConfig\nname: a\ningress: [{subnet: 11.0.0.0/8}]',
      'apiVersion: v1alpha1\nkind: NetworkRuleConfig\nname: a\ningress: [{subnet: 11.0.0.0/8}]',
    ],
    [
      'a key is deleted',
      'machine: {sysctls: {a: "1"}, files: [{path: /a}]}',
      'machine: {sysctls: {$patch: delete}}',
      'machine: {files: [{path: /a}]}',
    ],
    [
      'a list element is deleted by its first key',
      'machine: {files: [{path: /a}, {path: /b}]}',
      'machine: {files: [{path: /b, $patch: delete}]}',
      'machine: {files: [{path: /a}]}',
    ],
    [
      'deletes come before the merge of their document',
      'machine: {sysctls: {a: "1"}}',
      'machine: {sysctls: {a: {$patch: delete}, b: "2"}}',
      'machine: {sysctls: {b: "2"}}',
    ],
    [
      'a document is deleted',
      'machine: {}\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: x',
      'apiVersion: v1alpha1\nkind: HostnameConfig\n$patch: delete',
      'machine: {}',
    ],
    [
      'a deleted document can be given anew',
      'apiVersion: v1alpha1\nkind: A\nx: 1',
      'apiVersion: v1alpha1\nkind: A\n$patch: delete\n---\napiVersion: v1alpha1\nkind: A\ny: 2',
      'apiVersion: v1alpha1\nkind: A\ny: 2',
    ],
    [
      'the spelling of numbers is kept',
      'machine: {}',
      'machine: {files: [{permissions: 0o644}], nodeLabels: {v: 1.10}}',
      'machine: {files: [{permissions: 0o644}], nodeLabels: {v: 1.10}}',
    ],
    [
      'null documents are skipped',
      'machine: {}',
      '---\n---\n# nothing\n---\nmachine: {type: worker}',
      'machine: {type: worker}',
    ],
    [
      'a key named like the prototype stays a key',
      'machine: {}',
      'machine: {sysctls: {__proto__: {a: "1"}}}',
      'machine: {sysctls: {__proto__: {a: "1"}}}',
    ],
  ])('%s', (_, base, patch, expected) => {
    expect(merge(base, patch)).toEqual(documents(expected));
  });

  it.each([
    [
      'a mapping over a scalar',
      'machine: {type: worker}',
      'machine: {type: {a: 1}}',
      'PATCH_TYPE_MISMATCH: machine.type: a mapping cannot be merged into a scalar',
    ],
    [
      'a deletion of what is absent',
      'machine: {}',
      'machine: {sysctls: {$patch: delete}}',
      "PATCH_DELETE_REFUSED: patch delete: path 'machine.sysctls' in document 'v1alpha1': lookup failed",
    ],
    [
      'a deletion of an absent element',
      'machine: {files: [{path: /a}]}',
      'machine: {files: [{path: /b, $patch: delete}]}',
      "PATCH_DELETE_REFUSED: patch delete: path 'machine.files' where path is /b in document 'v1alpha1': lookup failed",
    ],
    [
      'a deletion of the whole legacy document',
      'machine: {}',
      '$patch: delete',
      "PATCH_DELETE_REFUSED: can't delete the root of the legacy document",
    ],
    [
      'a deletion inside a list element',
      'machine: {files: [{path: /a}]}',
      'machine: {files: [{path: /a, op: {$patch: delete}}]}',
      "PATCH_DELETE_REFUSED: cannot delete an inner key in a list element at 'machine.files'",
    ],
    [
      'JSON6902 as YAML',
      'machine: {}',
      '- op: add\n  path: /machine/a',
      'JSON_PATCH_UNSUPPORTED: JSON6902 patches are not supported for multi-document machine configuration',
    ],
    [
      'JSON6902 as JSON',
      'machine: {}',
      ' [{"op": "add"}]',
      'JSON_PATCH_UNSUPPORTED: JSON6902 patches are not supported for multi-document machine configuration',
    ],
    ['text that is no document', 'machine: {}', 'hello', 'CONFIG_NOT_YAML: each document must be a mapping'],
  ])('refuses %s', (_, base, patch, expected) => {
    expect(messageOf(() => merge(base, patch))).toBe(expected);
  });
});
