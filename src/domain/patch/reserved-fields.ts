/**
 * What a tenant's patch may not touch. `ALWAYS`: the identity, keys and installation of any cluster that Quorate runs.
 * `MANAGED_CONTROL_PLANE`, `MANAGED_WORKER`: what the platform owns beyond that in a managed cluster.
 * A path covers everything below it; `[]` stands for any item of a list.
 */

export interface ReservedFields {
  readonly paths: readonly string[];
  readonly kinds: readonly string[];
  /** `Kind.path`. */
  readonly kindPaths: readonly string[];
}

const CLUSTER_IDENTITY = ['id', 'secret', 'clusterName', 'token', 'ca', 'acceptedCAs'].map(
  (key) => `cluster.${key}`,
);
const MACHINE_IDENTITY = ['type', 'token', 'ca', 'acceptedCAs'].map((key) => `machine.${key}`);

const ALWAYS: ReservedFields = {
  paths: [
    ...CLUSTER_IDENTITY,
    ...MACHINE_IDENTITY,
    'cluster.controlPlane.endpoint',
    'cluster.aescbcEncryptionSecret',
    'cluster.secretboxEncryptionSecret',
    'cluster.serviceAccount',
    'machine.install.disk',
    'machine.install.extensions',
    // Without it every certificate, and every pod with access to the Talos API, is an administrator.
    'machine.features.rbac',
  ],
  kinds: [
    'UnattendedInstallConfig',
    'DiscoveryIdentityConfig',
    'KubeClusterConfig',
    'KubeEtcdEncryptionConfig',
    'KubeAPIServerCAConfig',
    'KubeAggregatorCAConfig',
  ],
  kindPaths: ['KubeServiceAccountConfig.issuer.privateKey'],
};

const MANAGED_WORKER: ReservedFields = {
  paths: ['cluster.controlPlane', 'cluster.aggregatorCA', 'cluster.discovery', 'machine.network.kubespan'],
  kinds: [
    'KubeSpanConfig',
    'KubeSpanEndpointsConfig',
    'DiscoveryServiceConfig',
    'SideroLinkConfig',
    'EventSinkConfig',
  ],
  kindPaths: [],
};

const MANAGED_CONTROL_PLANE: ReservedFields = {
  paths: [
    ...MANAGED_WORKER.paths,
    'cluster.etcd',
    'cluster.apiServer.certSANs',
    'cluster.apiServer.image',
    'cluster.controllerManager.extraArgs.bind-address',
    'cluster.scheduler.extraArgs.bind-address',
    'cluster.proxy.extraArgs.metrics-bind-address',
    'machine.install',
    'machine.disks',
    'machine.controlPlane',
    'machine.kubelet.skipNodeRegistration',
    'machine.systemDiskEncryption',
    // Hostnames name etcd's members, and one patch would name all machines of the set alike.
    'machine.network.hostname',
    'machine.network.interfaces[].vip',
    'machine.network.interfaces[].vlans[].vip',
  ],
  kinds: [
    ...MANAGED_WORKER.kinds,
    'Layer2VIPConfig',
    'HCloudVIPConfig',
    'KubeServiceAccountConfig',
    // The later forms of machine.network.hostname, machine.systemDiskEncryption and machine.disks.
    'HostnameConfig',
    'VolumeConfig',
    'UserVolumeConfig',
    'RawVolumeConfig',
    'SwapVolumeConfig',
    'ExistingVolumeConfig',
    'ExternalVolumeConfig',
  ],
  kindPaths: [
    'KubeAPIServerConfig.certExtraSANs',
    'KubeAPIServerConfig.image',
    'KubeControllerManagerConfig.extraArgs.bind-address',
    'KubeSchedulerConfig.extraArgs.bind-address',
    'KubeProxyConfig.extraArgs.metrics-bind-address',
  ],
};

export interface PatchTarget {
  /** `any`: the patch reaches control planes and workers alike. */
  readonly role: 'control-plane' | 'worker' | 'any';
  readonly managed: boolean;
}

export function reservedFor({ role, managed }: PatchTarget): ReservedFields {
  if (!managed) {
    return ALWAYS;
  }
  const extra = role === 'worker' ? MANAGED_WORKER : MANAGED_CONTROL_PLANE;
  return {
    paths: withoutCovered([...ALWAYS.paths, ...extra.paths]),
    kinds: [...ALWAYS.kinds, ...extra.kinds],
    kindPaths: [...ALWAYS.kindPaths, ...extra.kindPaths],
  };
}

/** A path below another listed one would be reported twice. */
function withoutCovered(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => path.startsWith(`${other}.`)));
}
