/** What Talos decodes of the v1alpha1 document: the catalogue of Talos 1.8 to 1.14. */
import { anyMap, since, stringMap, strings, struct, type Shape } from './shape';
import { certificateAndKey, certificates, extraArgs, machineShape } from './v1alpha1-machine-shape';

const resources = struct({ requests: anyMap, limits: anyMap });
const extraVolumes: Shape = {
  list: struct({ name: 'string', hostPath: 'string', mountPath: 'string', readonly: 'bool' }),
};
const component = { image: 'string', extraArgs, extraVolumes, env: stringMap, resources } as const;

const apiServer = struct({
  ...component,
  certSANs: strings,
  disablePodSecurityPolicy: 'bool',
  admissionControl: { list: struct({ name: 'string', configuration: anyMap }) },
  auditPolicy: anyMap,
  authorizationConfig: since(9, { list: struct({ type: 'string', name: 'string', webhook: anyMap }) }),
});

const discovery = struct({
  enabled: 'bool',
  registries: struct({
    kubernetes: struct({ disabled: 'bool' }),
    service: struct({ disabled: 'bool', endpoint: 'string' }),
  }),
});

const clusterShape = struct({
  id: 'string',
  secret: 'string',
  controlPlane: struct({ endpoint: 'string', localAPIServerPort: 'int' }),
  clusterName: 'string',
  network: struct({
    cni: struct({
      name: 'string',
      urls: strings,
      flannel: struct({ extraArgs: strings, kubeNetworkPoliciesEnabled: since(13, 'bool') }),
    }),
    dnsDomain: 'string',
    podSubnets: strings,
    serviceSubnets: strings,
  }),
  token: 'string',
  aescbcEncryptionSecret: 'string',
  secretboxEncryptionSecret: 'string',
  ca: certificateAndKey,
  acceptedCAs: certificates,
  aggregatorCA: certificateAndKey,
  serviceAccount: struct({ key: 'string' }),
  apiServer,
  controllerManager: struct({ ...component }),
  proxy: struct({ disabled: 'bool', image: 'string', mode: 'string', extraArgs }),
  scheduler: struct({ ...component, config: anyMap }),
  discovery,
  etcd: struct({
    image: 'string',
    ca: certificateAndKey,
    extraArgs,
    subnet: 'string',
    advertisedSubnets: strings,
    listenSubnets: strings,
  }),
  coreDNS: struct({ disabled: 'bool', image: 'string' }),
  externalCloudProvider: struct({ enabled: 'bool', manifests: strings }),
  extraManifests: strings,
  extraManifestHeaders: stringMap,
  inlineManifests: { list: struct({ name: 'string', contents: 'string' }) },
  adminKubeconfig: struct({ certLifetime: 'string' }),
  allowSchedulingOnMasters: 'bool',
  allowSchedulingOnControlPlanes: 'bool',
});

export const v1alpha1Shape = struct({
  version: 'string',
  debug: 'bool',
  persist: 'bool',
  machine: machineShape,
  cluster: clusterShape,
});
