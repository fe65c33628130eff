/** What a tenant asked for: the parsed cluster template in one value. Stored as `clusters.spec`. */

export interface PatchSpec {
  /** Name as written (`name`, else the file's), unique in its scope. */
  readonly name: string;
  readonly idOverride?: string;
  /** YAML text, possibly several documents. */
  readonly content: string;
}

/** The three ways of a machine set to get machines; they exclude one another. */
export type MachineSource =
  | { readonly kind: 'managed'; readonly provider: string; readonly size: string }
  | { readonly kind: 'machines'; readonly machineIds: readonly string[] }
  | { readonly kind: 'class'; readonly className: string; readonly size: number | 'unlimited' };

export interface RollingStrategy {
  readonly maxParallelism: number;
}

export interface MachineSetSpec {
  readonly name: string;
  readonly role: 'control-plane' | 'worker';
  readonly source: MachineSource;
  readonly patches: readonly PatchSpec[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** undefined inherits, [] clears: both are kept apart. */
  readonly systemExtensions?: readonly string[];
  readonly kernelArgs?: readonly string[];
  readonly updateStrategy?: RollingStrategy;
  readonly deleteStrategy?: RollingStrategy;
  readonly upgradeStrategy?: RollingStrategy;
  readonly bootstrapSpec?: { readonly clusterUUID: string; readonly snapshot: string };
}

export interface MachineSpec {
  readonly machineId: string;
  readonly locked: boolean;
  readonly installDisk?: string;
  readonly installDiskSelector?: string;
  readonly patches: readonly PatchSpec[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly systemExtensions?: readonly string[];
  readonly kernelArgs?: readonly string[];
}

export interface ManifestSpec {
  readonly name: string;
  readonly mode: 'full' | 'one-time';
  readonly content: string;
}

export interface HealthCheckSpec {
  readonly name: string;
  /** YAML of the Kubernetes Job. */
  readonly content: string;
  readonly intervalSeconds: number;
}

export interface ClusterFeatures {
  readonly diskEncryption: boolean;
  readonly enableWorkloadProxy: boolean;
  readonly useEmbeddedDiscoveryService: boolean;
  readonly disablePublicDiscoveryService?: boolean;
  readonly enableNodeAuditSkip: boolean;
  /** Seconds; 0 = no backups. */
  readonly backupIntervalSeconds: number;
}

export interface ClusterSpec {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Without the leading v. */
  readonly talosVersion: string;
  /** Without the leading v. */
  readonly kubernetesVersion: string;
  readonly features: ClusterFeatures;
  readonly patches: readonly PatchSpec[];
  readonly manifests: readonly ManifestSpec[];
  readonly healthChecks?: readonly HealthCheckSpec[];
  readonly systemExtensions?: readonly string[];
  readonly kernelArgs?: readonly string[];
  readonly controlPlane: MachineSetSpec;
  readonly workers: readonly MachineSetSpec[];
  readonly machines: readonly MachineSpec[];
}

/** Name of the control-plane machine set of every cluster. */
export const CONTROL_PLANE_SET = 'control-planes';

export function isManaged(spec: ClusterSpec): boolean {
  return spec.controlPlane.source.kind === 'managed';
}
