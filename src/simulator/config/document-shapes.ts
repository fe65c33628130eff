/** The other kinds of documents: from which Talos minor on each exists, and its fields where they are known here. */
import { anyMap, strings, struct, type Fields, type Shape } from './shape';

export interface Kind {
  readonly since: number;
  /** Several documents of this kind are told apart by name. */
  readonly named: boolean;
  /** Absent: the fields of this kind are not checked by the simulator. */
  readonly fields?: Fields;
}

const link: Shape = 'string';
const ports = struct({ ports: { list: 'any' }, protocol: 'string' });

const DETAILED: Readonly<Record<string, Omit<Kind, 'named'> & { named?: boolean }>> = {
  HostnameConfig: { since: 12, fields: { hostname: 'string', auto: 'string' } },
  KubeSpanConfig: {
    since: 13,
    fields: {
      enabled: 'bool',
      advertiseKubernetesNetworks: 'bool',
      allowDownPeerBypass: 'bool',
      harvestExtraEndpoints: 'bool',
      mtu: 'int',
      filters: struct({ endpoints: strings, excludeAdvertisedNetworks: strings }),
    },
  },
  KubeSpanEndpointsConfig: { since: 8, fields: { extraAnnouncedEndpoints: strings } },
  EventSinkConfig: { since: 8, fields: { endpoint: 'string' } },
  KmsgLogConfig: { since: 8, named: true, fields: { url: 'string' } },
  SideroLinkConfig: { since: 8, fields: { apiUrl: 'string', uniqueToken: 'string' } },
  WatchdogTimerConfig: { since: 8, fields: { device: 'string', timeout: 'string' } },
  TrustedRootsConfig: { since: 8, named: true, fields: { certificates: 'string' } },
  NetworkDefaultActionConfig: { since: 8, fields: { ingress: 'string' } },
  NetworkRuleConfig: {
    since: 8,
    named: true,
    fields: { portSelector: ports, ingress: { list: struct({ subnet: 'string', except: 'string' }) } },
  },
  ExtensionServiceConfig: {
    since: 8,
    named: true,
    fields: {
      configFiles: { list: struct({ content: 'string', mountPath: 'string' }) },
      environment: strings,
    },
  },
  ResolverConfig: {
    since: 12,
    fields: {
      nameservers: { list: struct({ address: 'string' }) },
      searchDomains: struct({ domains: strings, disableDefault: 'bool' }),
      hostDNS: { since: 14, shape: anyMap },
    },
  },
  TimeSyncConfig: {
    since: 12,
    fields: {
      enabled: 'bool',
      bootTimeout: 'string',
      ntp: struct({ servers: strings }),
      ptp: struct({ devices: strings }),
    },
  },
  StaticHostConfig: { since: 12, named: true, fields: { hostnames: strings } },
  Layer2VIPConfig: { since: 12, named: true, fields: { link } },
};

/** Kinds whose fields are not in this catalogue: known or unknown is all that is judged. */
const UNCHECKED: Readonly<Record<number, readonly string[]>> = {
  8: ['VolumeConfig'],
  10: ['EthernetConfig', 'PCIDriverRebindConfig', 'UserVolumeConfig'],
  11: ['ExistingVolumeConfig', 'RawVolumeConfig', 'SwapVolumeConfig', 'ZswapConfig'],
  12: [
    ...['LinkConfig', 'LinkAliasConfig', 'DHCPv4Config', 'DHCPv6Config', 'BondConfig', 'BridgeConfig'],
    ...['VLANConfig', 'DummyLinkConfig', 'WireguardConfig', 'HCloudVIPConfig', 'OOMConfig'],
    ...['RegistryMirrorConfig', 'RegistryAuthConfig', 'RegistryTLSConfig'],
  ],
  13: [
    ...['EnvironmentConfig', 'ExternalVolumeConfig', 'ImageVerificationConfig', 'VRFConfig'],
    ...['RoutingRuleConfig', 'BlackholeRouteConfig', 'TCPProbeConfig'],
  ],
  14: [
    ...['DiscoveryServiceConfig', 'DiscoveryIdentityConfig', 'UnattendedInstallConfig', 'SysctlConfig'],
    ...[
      'FilesystemTrimConfig',
      'SecurityProfileConfig',
      'KubeClusterConfig',
      'KubeNodeConfig',
      'KubeletConfig',
    ],
    ...['KubeNetworkConfig', 'KubeAPIServerCAConfig', 'KubeAggregatorCAConfig', 'KubePrismConfig'],
    ...['KubeAdmissionControlConfig', 'KubeAuditPolicyConfig', 'KubeAuthenticationConfig'],
    ...[
      'KubeAuthorizerConfig',
      'KubeEtcdEncryptionConfig',
      'KubeServiceAccountConfig',
      'KubeAPIServerConfig',
    ],
    ...['KubeControllerManagerConfig', 'KubeSchedulerConfig', 'KubeProxyConfig', 'KubeFlannelCNIConfig'],
    'KubeCoreDNSConfig',
  ],
};

export function findKind(kind: string): Kind | undefined {
  const detailed = Object.hasOwn(DETAILED, kind) ? DETAILED[kind] : undefined;
  if (detailed !== undefined) {
    return { ...detailed, named: detailed.named ?? false };
  }
  for (const [minor, kinds] of Object.entries(UNCHECKED)) {
    if (kinds.includes(kind)) {
      return { since: Number(minor), named: true };
    }
  }
  return undefined;
}
