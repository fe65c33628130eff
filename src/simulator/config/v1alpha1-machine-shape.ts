/** What Talos decodes under `machine` of the v1alpha1 document. */
import { anyMap, since, stringMap, strings, struct, type Shape } from './shape';

export const certificateAndKey = struct({ crt: 'string', key: 'string' });
export const certificates: Shape = { list: struct({ crt: 'string' }) };
/** A list repeats the flag; Talos decodes that from 1.13 on, which is judged elsewhere. */
export const extraArgs: Shape = { map: 'any' };

const deviceSelector = struct({
  busPath: 'string',
  hardwareAddr: 'string',
  permanentAddr: since(9, 'string'),
  pciID: 'string',
  driver: 'string',
  physical: 'bool',
});

const dhcpOptions = struct({ routeMetric: 'int', ipv4: 'bool', ipv6: 'bool', duidv6: 'string' });
const routes: Shape = {
  list: struct({ network: 'string', gateway: 'string', source: 'string', metric: 'int', mtu: 'int' }),
};
const vip = struct({
  ip: 'string',
  equinixMetal: struct({ apiToken: 'string' }),
  hcloud: struct({ apiToken: 'string' }),
});

const interfaceShape = struct({
  interface: 'string',
  deviceSelector,
  addresses: strings,
  cidr: 'string',
  routes,
  bond: 'any',
  bridge: 'any',
  bridgePort: 'any',
  vlans: {
    list: struct({
      vlanId: 'int',
      addresses: strings,
      cidr: 'string',
      routes,
      dhcp: 'bool',
      mtu: 'int',
      vip,
      dhcpOptions,
    }),
  },
  mtu: 'int',
  dhcp: 'bool',
  ignore: 'bool',
  dummy: 'bool',
  dhcpOptions,
  wireguard: 'any',
  vip,
});

const network = struct({
  hostname: 'string',
  interfaces: { list: interfaceShape },
  nameservers: strings,
  searchDomains: since(9, strings),
  extraHostEntries: { list: struct({ ip: 'string', aliases: strings }) },
  kubespan: struct({
    enabled: 'bool',
    advertiseKubernetesNetworks: 'bool',
    allowDownPeerBypass: 'bool',
    harvestExtraEndpoints: 'bool',
    mtu: 'int',
    filters: struct({ endpoints: strings, excludeAdvertisedNetworks: strings }),
  }),
  disableSearchDomain: 'bool',
});

const kubelet = struct({
  image: 'string',
  clusterDNS: strings,
  extraArgs,
  extraMounts: {
    list: struct({
      destination: 'string',
      type: 'string',
      source: 'string',
      options: strings,
      uidMappings: 'any',
      gidMappings: 'any',
    }),
  },
  extraConfig: anyMap,
  credentialProviderConfig: anyMap,
  defaultRuntimeSeccompProfileEnabled: 'bool',
  registerWithFQDN: 'bool',
  nodeIP: struct({ validSubnets: strings }),
  skipNodeRegistration: 'bool',
  disableManifestsDirectory: 'bool',
});

const install = struct({
  disk: 'string',
  diskSelector: struct({
    size: 'string',
    name: 'string',
    model: 'string',
    serial: 'string',
    modalias: 'string',
    uuid: 'string',
    wwid: 'string',
    type: 'string',
    busPath: 'string',
  }),
  extraKernelArgs: strings,
  image: 'string',
  extensions: { list: struct({ image: 'string' }) },
  bootloader: 'bool',
  wipe: 'bool',
  legacyBIOSSupport: 'bool',
  grubUseUKICmdline: since(12, 'bool'),
});

const registries = struct({
  mirrors: {
    map: struct({ endpoints: strings, overridePath: 'bool', skipFallback: since(9, 'bool') }),
  },
  config: {
    map: struct({
      tls: struct({ clientIdentity: certificateAndKey, ca: 'string', insecureSkipVerify: 'bool' }),
      auth: struct({ username: 'string', password: 'string', auth: 'string', identityToken: 'string' }),
    }),
  },
});

const features = struct({
  rbac: 'bool',
  stableHostname: 'bool',
  apidCheckExtKeyUsage: 'bool',
  kubernetesTalosAPIAccess: struct({
    enabled: 'bool',
    allowedRoles: strings,
    allowedKubernetesNamespaces: strings,
  }),
  diskQuotaSupport: 'bool',
  kubePrism: struct({ enabled: 'bool', port: 'int' }),
  hostDNS: struct({ enabled: 'bool', forwardKubeDNSToHost: 'bool', resolveMemberNames: 'bool' }),
  imageCache: since(9, struct({ localEnabled: 'bool' })),
  nodeAddressSortAlgorithm: since(9, 'string'),
});

export const machineShape = struct({
  type: 'string',
  token: 'string',
  ca: certificateAndKey,
  acceptedCAs: certificates,
  certSANs: strings,
  controlPlane: struct({
    controllerManager: struct({ disabled: 'bool' }),
    scheduler: struct({ disabled: 'bool' }),
  }),
  kubelet,
  pods: { list: anyMap },
  network,
  disks: { list: struct({ device: 'string', partitions: 'any' }) },
  install,
  files: { list: struct({ content: 'string', permissions: 'any', path: 'string', op: 'string' }) },
  env: stringMap,
  time: struct({ disabled: 'bool', servers: strings, bootTimeout: 'string' }),
  sysctls: stringMap,
  sysfs: stringMap,
  registries,
  systemDiskEncryption: struct({ state: 'any', ephemeral: 'any' }),
  features,
  udev: struct({ rules: strings }),
  logging: struct({
    destinations: { list: struct({ endpoint: 'any', format: 'string', extraTags: stringMap }) },
  }),
  kernel: struct({ modules: { list: struct({ name: 'string', parameters: strings }) } }),
  seccompProfiles: { list: struct({ name: 'string', value: 'any' }) },
  baseRuntimeSpecOverrides: anyMap,
  nodeLabels: stringMap,
  nodeAnnotations: stringMap,
  nodeTaints: stringMap,
});
