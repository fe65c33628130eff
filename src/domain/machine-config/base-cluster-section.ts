/** The `cluster` section before any patch, as `talosctl gen config` lays it out for each Talos contract. */
import type { ConfigMap } from './config-document';
import type { MachineConfigInput } from './machine-config-input';
import { base64Pem, keyPair } from './pem-fields';
import type { TalosContract } from './talos-contract';

export function baseClusterSection(input: MachineConfigInput, contract: TalosContract): ConfigMap {
  const { secrets } = input;
  const isControlPlane = input.role === 'control-plane';
  return {
    id: secrets.cluster.id,
    secret: secrets.cluster.secret,
    controlPlane: { endpoint: input.endpoint },
    clusterName: input.clusterName,
    network: { dnsDomain: 'cluster.local', ...subnets(input.endpoint) },
    token: secrets.bootstrapToken,
    ca: isControlPlane ? keyPair(secrets.certs.k8s) : { crt: base64Pem(secrets.certs.k8s.crt), key: '' },
    ...(isControlPlane ? controlPlaneOnly(input, contract) : {}),
    discovery: discovery(input),
    ...(isControlPlane ? { etcd: { ca: keyPair(secrets.certs.etcd) } } : {}),
  };
}

/** A literal IPv6 endpoint means a cluster of IPv6 only. */
function subnets(endpoint: string): ConfigMap {
  return isIpv6(hostOf(endpoint))
    ? { podSubnets: ['fc00:db8:10::/56'], serviceSubnets: ['fc00:db8:20::/112'] }
    : { podSubnets: ['10.244.0.0/16'], serviceSubnets: ['10.96.0.0/12'] };
}

/** Every image with its tag: what is left out follows Talos's built-in version, and a Talos upgrade would move it. */
function controlPlaneOnly(input: MachineConfigInput, contract: TalosContract): ConfigMap {
  const { secrets, kubernetesVersion } = input;
  const image = (component: string): string => `registry.k8s.io/${component}:v${kubernetesVersion}`;
  return {
    secretboxEncryptionSecret: secrets.secretboxEncryptionSecret,
    aggregatorCA: keyPair(secrets.certs.k8sAggregator),
    serviceAccount: { key: base64Pem(secrets.certs.k8sServiceAccountKey) },
    apiServer: apiServer(input, image('kube-apiserver'), contract),
    controllerManager: { image: image('kube-controller-manager') },
    proxy: { image: image('kube-proxy') },
    scheduler: { image: image('kube-scheduler') },
  };
}

function apiServer(
  { endpoint, certSANs }: MachineConfigInput,
  image: string,
  contract: TalosContract,
): ConfigMap {
  const names = contract <= 11 ? [hostOf(endpoint), ...certSANs] : certSANs;
  return {
    image,
    ...(names.length > 0 ? { certSANs: [...new Set(names)] } : {}),
    ...(contract <= 11 ? { disablePodSecurityPolicy: true } : {}),
    admissionControl: [{ name: 'PodSecurity', configuration: podSecurity() }],
    auditPolicy: { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] },
  };
}

function podSecurity(): ConfigMap {
  return {
    apiVersion: 'pod-security.admission.config.k8s.io/v1alpha1',
    kind: 'PodSecurityConfiguration',
    defaults: {
      enforce: 'baseline',
      'enforce-version': 'latest',
      audit: 'restricted',
      'audit-version': 'latest',
      warn: 'restricted',
      'warn-version': 'latest',
    },
    exemptions: { usernames: [], runtimeClasses: [], namespaces: ['kube-system'] },
  };
}

/** The registry inside Kubernetes stopped working with Kubernetes 1.32 and needs registered nodes: never used. */
function discovery({ discoveryEndpoint }: MachineConfigInput): ConfigMap {
  const service: ConfigMap = discoveryEndpoint === undefined ? {} : { endpoint: discoveryEndpoint };
  return { enabled: true, registries: { kubernetes: { disabled: true }, service } };
}

/** Host of an https URL, an IPv6 literal without its brackets. */
function hostOf(endpoint: string): string {
  const authority = /^https?:\/\/([^/?#]*)/.exec(endpoint)?.[1] ?? '';
  return /^\[([^\]]*)\]/.exec(authority)?.[1] ?? authority.replace(/:\d*$/, '');
}

const isIpv6 = (host: string): boolean => host.includes(':');
