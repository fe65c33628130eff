/**
 * The fields of Talos's v1alpha1 machine config (1.8 to 1.14), for strict reading: Talos refuses unknown ones.
 * `ANY` is a value that Talos takes as it is, or that only the node can judge. Lists stand for their items.
 */

export const ANY = 'any';
export type FieldTree = typeof ANY | { readonly [key: string]: FieldTree };

/** Scalars and free-form values under one mapping. */
const leaves = (names: string): Record<string, FieldTree> =>
  Object.fromEntries(names.split(' ').map((name) => [name, ANY]));

const CERTIFICATE = leaves('crt key');

const ROUTE = leaves('network gateway source metric mtu');
const DHCP = leaves('routeMetric ipv4 ipv6 duidv6');
const VIP = { ip: ANY, equinixMetal: leaves('apiToken'), hcloud: leaves('apiToken') } as const;
const VLAN: FieldTree = {
  ...leaves('addresses cidr dhcp vlanId mtu'),
  routes: ROUTE,
  dhcpOptions: DHCP,
  vip: VIP,
};
const DEVICE_SELECTOR = leaves('busPath hardwareAddr permanentAddr pciID driver physical');
const INTERFACE: FieldTree = {
  ...leaves('interface addresses cidr mtu dhcp ignore dummy bond bridge bridgePort wireguard'),
  deviceSelector: DEVICE_SELECTOR,
  routes: ROUTE,
  vlans: VLAN,
  dhcpOptions: DHCP,
  vip: VIP,
};

const KUBESPAN: FieldTree = {
  ...leaves('enabled advertiseKubernetesNetworks allowDownPeerBypass harvestExtraEndpoints mtu'),
  filters: leaves('endpoints excludeAdvertisedNetworks'),
};

const NETWORK: FieldTree = {
  ...leaves('hostname nameservers searchDomains disableSearchDomain'),
  interfaces: INTERFACE,
  extraHostEntries: leaves('ip aliases'),
  kubespan: KUBESPAN,
};

const KUBELET: FieldTree = {
  ...leaves('image clusterDNS extraArgs extraMounts extraConfig credentialProviderConfig registerWithFQDN'),
  ...leaves('defaultRuntimeSeccompProfileEnabled skipNodeRegistration disableManifestsDirectory'),
  nodeIP: leaves('validSubnets'),
};

const INSTALL: FieldTree = {
  ...leaves('disk extraKernelArgs image bootloader wipe legacyBIOSSupport grubUseUKICmdline'),
  diskSelector: leaves('size name model serial modalias uuid wwid type busPath'),
  extensions: leaves('image'),
};

const FEATURES: FieldTree = {
  ...leaves('rbac stableHostname apidCheckExtKeyUsage diskQuotaSupport nodeAddressSortAlgorithm'),
  kubernetesTalosAPIAccess: leaves('enabled allowedRoles allowedKubernetesNamespaces'),
  kubePrism: leaves('enabled port'),
  hostDNS: leaves('enabled forwardKubeDNSToHost resolveMemberNames'),
  imageCache: leaves('localEnabled'),
};

const MACHINE: FieldTree = {
  ...leaves(
    'type token certSANs pods disks files env sysctls sysfs registries systemDiskEncryption udev kernel',
  ),
  ...leaves('baseRuntimeSpecOverrides nodeLabels nodeAnnotations nodeTaints'),
  ca: CERTIFICATE,
  acceptedCAs: CERTIFICATE,
  controlPlane: { controllerManager: leaves('disabled'), scheduler: leaves('disabled') },
  kubelet: KUBELET,
  network: NETWORK,
  install: INSTALL,
  time: leaves('disabled servers bootTimeout'),
  features: FEATURES,
  logging: { destinations: leaves('endpoint format extraTags') },
  seccompProfiles: leaves('name value'),
};

const COMPONENT = leaves('image extraArgs extraVolumes env resources');

const CLUSTER: FieldTree = {
  ...leaves('id secret clusterName token aescbcEncryptionSecret secretboxEncryptionSecret extraManifests'),
  ...leaves('extraManifestHeaders allowSchedulingOnMasters allowSchedulingOnControlPlanes'),
  controlPlane: leaves('endpoint localAPIServerPort'),
  network: {
    ...leaves('dnsDomain podSubnets serviceSubnets'),
    cni: { ...leaves('name urls'), flannel: leaves('extraArgs kubeNetworkPoliciesEnabled') },
  },
  ca: CERTIFICATE,
  acceptedCAs: CERTIFICATE,
  aggregatorCA: CERTIFICATE,
  serviceAccount: leaves('key'),
  apiServer: {
    ...COMPONENT,
    ...leaves('certSANs disablePodSecurityPolicy auditPolicy authorizationConfig'),
    admissionControl: leaves('name configuration'),
  },
  controllerManager: COMPONENT,
  scheduler: { ...COMPONENT, config: ANY },
  proxy: leaves('disabled image mode extraArgs'),
  discovery: {
    enabled: ANY,
    registries: { kubernetes: leaves('disabled'), service: leaves('disabled endpoint') },
  },
  etcd: { ...leaves('image extraArgs subnet advertisedSubnets listenSubnets'), ca: CERTIFICATE },
  coreDNS: leaves('disabled image'),
  externalCloudProvider: leaves('enabled manifests'),
  inlineManifests: leaves('name contents'),
  adminKubeconfig: leaves('certLifetime'),
};

export const MACHINE_CONFIG_FIELDS: FieldTree = {
  ...leaves('version debug persist'),
  machine: MACHINE,
  cluster: CLUSTER,
};
