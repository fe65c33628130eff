/** The kinds of documents besides v1alpha1, by the Talos minor that first knew them; an unknown kind is a hard error. */
import type { TalosContract } from './talos-contract';

const SINCE: readonly (readonly [TalosContract, string])[] = [
  [
    8,
    'EventSinkConfig ExtensionServiceConfig KmsgLogConfig KubeSpanEndpointsConfig NetworkDefaultActionConfig',
  ],
  [8, 'NetworkRuleConfig SideroLinkConfig TrustedRootsConfig VolumeConfig WatchdogTimerConfig'],
  [10, 'EthernetConfig PCIDriverRebindConfig UserVolumeConfig'],
  [11, 'ExistingVolumeConfig RawVolumeConfig SwapVolumeConfig ZswapConfig'],
  [
    12,
    'HostnameConfig ResolverConfig TimeSyncConfig StaticHostConfig HCloudVIPConfig Layer2VIPConfig OOMConfig',
  ],
  [12, 'RegistryMirrorConfig RegistryAuthConfig RegistryTLSConfig LinkConfig LinkAliasConfig BondConfig'],
  [12, 'BridgeConfig VLANConfig DummyLinkConfig WireguardConfig DHCPv4Config DHCPv6Config'],
  [13, 'KubeSpanConfig EnvironmentConfig ExternalVolumeConfig ImageVerificationConfig VRFConfig'],
  [13, 'RoutingRuleConfig BlackholeRouteConfig TCPProbeConfig'],
  [14, 'DiscoveryServiceConfig DiscoveryIdentityConfig UnattendedInstallConfig FilesystemTrimConfig'],
  [14, 'SecurityProfileConfig SysctlConfig KubeClusterConfig KubeNodeConfig KubeletConfig KubeNetworkConfig'],
  [14, 'KubeAPIServerCAConfig KubeAggregatorCAConfig KubePrismConfig KubeAdmissionControlConfig'],
  [14, 'KubeAuditPolicyConfig KubeAuthenticationConfig KubeAuthorizerConfig KubeEtcdEncryptionConfig'],
  [14, 'KubeServiceAccountConfig KubeAPIServerConfig KubeControllerManagerConfig KubeSchedulerConfig'],
  [14, 'KubeProxyConfig KubeFlannelCNIConfig KubeCoreDNSConfig'],
];

const FIRST_MINOR = new Map(SINCE.flatMap(([minor, kinds]) => kinds.split(' ').map((kind) => [kind, minor])));

/** Minor of Talos 1.x that first knew the kind; undefined for a kind that none knows. */
export const kindSince = (kind: string): TalosContract | undefined => FIRST_MINOR.get(kind);
