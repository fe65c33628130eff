/** The document kinds of Talos machine config and the Talos minor that first knew each: older nodes refuse them. */

import { ANY, type FieldTree } from './machine-config-fields';

const SINCE: Readonly<Record<string, string>> = {
  '1.8':
    'EventSinkConfig ExtensionServiceConfig KmsgLogConfig KubeSpanEndpointsConfig NetworkDefaultActionConfig ' +
    'NetworkRuleConfig SideroLinkConfig TrustedRootsConfig VolumeConfig WatchdogTimerConfig',
  '1.10': 'EthernetConfig PCIDriverRebindConfig UserVolumeConfig',
  '1.11': 'ExistingVolumeConfig RawVolumeConfig SwapVolumeConfig ZswapConfig',
  '1.12':
    'BondConfig BridgeConfig DHCPv4Config DHCPv6Config DummyLinkConfig HCloudVIPConfig HostnameConfig ' +
    'Layer2VIPConfig LinkAliasConfig LinkConfig OOMConfig RegistryAuthConfig RegistryMirrorConfig RegistryTLSConfig ' +
    'ResolverConfig StaticHostConfig TimeSyncConfig VLANConfig WireguardConfig',
  '1.13':
    'BlackholeRouteConfig EnvironmentConfig ExternalVolumeConfig ImageVerificationConfig KubeSpanConfig ' +
    'RoutingRuleConfig TCPProbeConfig VRFConfig',
  '1.14':
    'BGPInstanceConfig ContainerConfig DiscoveryIdentityConfig DiscoveryServiceConfig EtcFileConfig ' +
    'FilesystemTrimConfig HTTPProbeConfig ImageCacheConfig KernelModuleConfig KubeAPIServerCAConfig ' +
    'KubeAPIServerConfig KubeAdmissionControlConfig KubeAggregatorCAConfig KubeAuditPolicyConfig ' +
    'KubeAuthenticationConfig KubeAuthorizerConfig KubeClusterConfig KubeControllerManagerConfig KubeCoreDNSConfig ' +
    'KubeEtcdEncryptionConfig KubeFlannelCNIConfig KubeNetworkConfig KubeNodeConfig KubePrismConfig KubeProxyConfig ' +
    'KubeSchedulerConfig KubeServiceAccountConfig KubeTalosAPIAccessConfig KubeletConfig RAIDArrayConfig ' +
    'SecurityProfileConfig SysctlConfig SysfsConfig UdevRulesConfig UnattendedInstallConfig VethConfig',
};

const FIRST_MINOR = new Map(
  Object.entries(SINCE).flatMap(([minor, kinds]) => kinds.split(' ').map((kind) => [kind, minor] as const)),
);

export const DOCUMENT_KINDS: readonly string[] = [...FIRST_MINOR.keys()];

/** From this minor on the list may have gaps: kinds that it lacks are let through with a warning. */
export const FIRST_MINOR_WITH_GAPS = '1.14';

/** `1.12`, or undefined for a kind that no Talos release knows. */
export function firstMinorOf(kind: string): string | undefined {
  return FIRST_MINOR.get(kind);
}

/** Fields of the kinds that people get wrong most; kinds that are absent here are judged by the node. */
export const DOCUMENT_FIELDS: Readonly<Record<string, FieldTree>> = {
  NetworkRuleConfig: {
    name: ANY,
    portSelector: { ports: ANY, protocol: ANY },
    ingress: { subnet: ANY, except: ANY },
  },
  NetworkDefaultActionConfig: { ingress: ANY },
  KubeSpanConfig: {
    enabled: ANY,
    advertiseKubernetesNetworks: ANY,
    allowDownPeerBypass: ANY,
    harvestExtraEndpoints: ANY,
    mtu: ANY,
    filters: { endpoints: ANY, excludeAdvertisedNetworks: ANY },
  },
  ExtensionServiceConfig: { name: ANY, configFiles: { content: ANY, mountPath: ANY }, environment: ANY },
  HostnameConfig: { auto: ANY, hostname: ANY },
  ResolverConfig: {
    nameservers: { address: ANY, protocol: ANY, tlsServerName: ANY },
    searchDomains: { domains: ANY, disableDefault: ANY },
    hostDNS: ANY,
  },
};
