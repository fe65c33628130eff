/** What was seen of a machine at its Talos API, and when. Stored as `machines.facts`; only probes write it. */

export const MACHINE_STAGES = [
  'unknown',
  'booting',
  'installing',
  'maintenance',
  'running',
  'rebooting',
  'shutting down',
  'resetting',
  'upgrading',
] as const;
/** Words of Talos's MachineStatus resource. */
export type MachineStage = (typeof MACHINE_STAGES)[number];

export interface EtcdMemberFact {
  /** 16 hex digits, as etcd and talosctl print it. */
  readonly id: string;
  /** etcd member name = Talos hostname; empty while the member has not started. */
  readonly hostname: string;
  readonly isLearner: boolean;
}

export interface EtcdFacts {
  readonly memberId: string;
  /** The whole list as this member reports it. */
  readonly members: readonly EtcdMemberFact[];
  /** Member id of the leader; absent when this member knows none. */
  readonly leaderId?: string;
  readonly isLearner: boolean;
  /** For instance NOSPACE, CORRUPT, or etcd's own error texts. */
  readonly alarms: readonly string[];
}

export interface MachineFacts {
  /**
   * configured: answered over mutual TLS with the cluster's own certificates.
   * maintenance: answered without authentication, waits for a config.
   * unreachable: did not answer. foreign: answered with certificates of another cluster.
   */
  readonly contact: 'configured' | 'maintenance' | 'unreachable' | 'foreign';
  readonly stage?: MachineStage;
  readonly ready?: boolean;
  readonly unmetConditions?: readonly string[];
  /** Without the leading v. */
  readonly talosVersion?: string;
  readonly hostname?: string;
  /** Discovery identity; equals the affiliate id. */
  readonly nodeId?: string;
  readonly services?: Readonly<
    Record<string, { readonly state: string; readonly healthy: boolean | 'unknown' }>
  >;
  /** Absent: not a control plane, or etcd does not answer. */
  readonly etcd?: EtcdFacts;
  /** The Kubernetes API on this machine answers /readyz with ok; control planes only. */
  readonly kubernetesReady?: boolean;
  /** Kubernetes says that the Node is Ready; absent when it does not register. */
  readonly nodeReady?: boolean;
  /** Why the contact failed; for operators, may name addresses. */
  readonly error?: string;
}
