/** The `machine` section before any patch, as `talosctl gen config` lays it out for each Talos contract. */
import type { ConfigMap } from './config-document';
import type { MachineConfigInput } from './machine-config-input';
import { base64Pem, keyPair } from './pem-fields';
import type { TalosContract } from './talos-contract';

const KUBE_PRISM_PORT = 7445;

export function baseMachineSection(input: MachineConfigInput, contract: TalosContract): ConfigMap {
  const { role, secrets } = input;
  const isControlPlane = role === 'control-plane';
  return {
    type: isControlPlane ? 'controlplane' : 'worker',
    token: secrets.trustdToken,
    // A worker trusts the CA and asks trustd for its certificate: it must not hold the key.
    ca: isControlPlane ? keyPair(secrets.certs.os) : { crt: base64Pem(secrets.certs.os.crt), key: '' },
    certSANs: [...input.certSANs],
    kubelet: kubelet(input),
    ...network(input, contract),
    install: install(input, contract),
    features: features(contract),
    ...(isControlPlane
      ? { nodeLabels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } }
      : {}),
  };
}

function kubelet({ kubernetesVersion, skipNodeRegistration }: MachineConfigInput): ConfigMap {
  return {
    image: `ghcr.io/siderolabs/kubelet:v${kubernetesVersion}`,
    defaultRuntimeSeccompProfileEnabled: true,
    ...(skipNodeRegistration ? { skipNodeRegistration: true } : {}),
    disableManifestsDirectory: true,
  };
}

/** From 1.12 on the host name is a document of its own; 1.12 still wants the section, 1.13 no longer does. */
function network({ hostname }: MachineConfigInput, contract: TalosContract): ConfigMap {
  if (contract <= 11) {
    return { network: { hostname } };
  }
  return contract === 12 ? { network: {} } : {};
}

function install(input: MachineConfigInput, contract: TalosContract): ConfigMap {
  return {
    disk: input.installDisk,
    image: installImage(input, contract),
    wipe: false,
    ...(contract >= 12 ? { grubUseUKICmdline: true } : {}),
  };
}

/** The factory's installer; from 1.10 on its name carries the platform, which it fixes at every upgrade. */
function installImage({ schematicId, talosVersion }: MachineConfigInput, contract: TalosContract): string {
  const repository = contract >= 10 ? 'metal-installer' : 'installer';
  return `factory.talos.dev/${repository}/${schematicId}:v${talosVersion}`;
}

function features(contract: TalosContract): ConfigMap {
  return {
    // Locked to true and hidden from 1.12 on.
    ...(contract <= 11 ? { rbac: true, stableHostname: true, apidCheckExtKeyUsage: true } : {}),
    diskQuotaSupport: true,
    kubePrism: { enabled: true, port: KUBE_PRISM_PORT },
    hostDNS: { enabled: true, forwardKubeDNSToHost: true },
  };
}
