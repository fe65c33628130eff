/** Every key that Talos knows in the v1alpha1 document: an unknown one makes a machine refuse its whole config. */

/** `any`: free content; an array with one tree: a list of such mappings. */
export type FieldTree = 'any' | readonly [FieldTree] | { readonly [key: string]: FieldTree };

const any = 'any';
const keys = (names: string): { [key: string]: FieldTree } =>
  Object.fromEntries(names.split(' ').map((name) => [name, any]));

const pair = keys('crt key');
const extraVolumes: FieldTree = [keys('hostPath mountPath readonly')];
const resources = keys('requests limits');
const component = { ...keys('image extraArgs env'), extraVolumes, resources };

const route: FieldTree = [keys('network gateway source metric mtu')];
const link: { [key: string]: FieldTree } = {
  ...keys('addresses cidr mtu dhcp dhcpOptions wireguard vip bond bridge bridgePort ignore dummy'),
  routes: route,
};
const networkInterface: FieldTree = {
  ...link,
  interface: any,
  deviceSelector: keys('busPath hardwareAddr permanentAddr pciID driver physical'),
  vlans: [{ ...link, vlanId: any }],
};

const machine: FieldTree = {
  ...keys('type token certSANs pods disks env sysctls sysfs systemDiskEncryption seccompProfiles'),
  ...keys('baseRuntimeSpecOverrides nodeLabels nodeAnnotations nodeTaints'),
  ca: pair,
  acceptedCAs: [keys('crt')],
  controlPlane: { controllerManager: keys('disabled'), scheduler: keys('disabled') },
  kubelet: {
    ...keys('image clusterDNS extraArgs extraConfig credentialProviderConfig skipNodeRegistration'),
    ...keys('defaultRuntimeSeccompProfileEnabled registerWithFQDN disableManifestsDirectory'),
    extraMounts: [keys('destination type source options uidMappings gidMappings')],
    nodeIP: keys('validSubnets'),
  },
  network: {
    ...keys('hostname nameservers searchDomains kubespan disableSearchDomain'),
    interfaces: [networkInterface],
    extraHostEntries: [keys('ip aliases')],
  },
  install: {
    ...keys('disk extraKernelArgs image extensions bootloader wipe legacyBIOSSupport grubUseUKICmdline'),
    diskSelector: keys('size name model serial modalias uuid wwid type busPath'),
  },
  files: [keys('content permissions path op')],
  time: keys('disabled servers bootTimeout'),
  registries: keys('mirrors config'),
  features: {
    ...keys('rbac stableHostname apidCheckExtKeyUsage diskQuotaSupport nodeAddressSortAlgorithm'),
    kubernetesTalosAPIAccess: keys('enabled allowedRoles allowedKubernetesNamespaces'),
    kubePrism: keys('enabled port'),
    hostDNS: keys('enabled forwardKubeDNSToHost resolveMemberNames'),
    imageCache: keys('localEnabled'),
  },
  udev: keys('rules'),
  logging: { destinations: [keys('endpoint format extraTags')] },
  kernel: { modules: [keys('name parameters')] },
};

const cluster: FieldTree = {
  ...keys('id secret clusterName token aescbcEncryptionSecret secretboxEncryptionSecret extraManifests'),
  ...keys('extraManifestHeaders allowSchedulingOnMasters allowSchedulingOnControlPlanes'),
  controlPlane: keys('endpoint localAPIServerPort'),
  network: { ...keys('dnsDomain podSubnets serviceSubnets'), cni: keys('name urls flannel') },
  ca: pair,
  acceptedCAs: [keys('crt')],
  aggregatorCA: pair,
  serviceAccount: keys('key'),
  apiServer: {
    ...component,
    ...keys('certSANs auditPolicy disablePodSecurityPolicy'),
    admissionControl: [keys('name configuration')],
    authorizationConfig: [keys('type name webhook')],
  },
  controllerManager: component,
  proxy: keys('disabled image mode extraArgs'),
  scheduler: { ...component, config: any },
  discovery: {
    enabled: any,
    registries: { kubernetes: keys('disabled'), service: keys('disabled endpoint') },
  },
  etcd: { ...keys('image extraArgs subnet advertisedSubnets listenSubnets'), ca: pair },
  coreDNS: keys('disabled image'),
  externalCloudProvider: keys('enabled manifests'),
  inlineManifests: [keys('name contents')],
  adminKubeconfig: keys('certLifetime'),
};

export const V1ALPHA1_FIELDS: FieldTree = { ...keys('version debug persist'), machine, cluster };
