/** What the cluster planner looks at: one cluster, everything that belongs to it, at one moment. Plain values. */
import type { ClusterSpec } from '../cluster/cluster-spec';
import type { MachineFacts } from '../machine/machine-facts';
import type { MachineShape } from '../tiers/size-tiers';

export interface ClusterView {
  readonly id: string;
  readonly name: string;
  readonly managed: boolean;
  readonly generation: number;
  readonly spec: ClusterSpec;
  readonly deleteRequestedAt?: Date;
  readonly bootstrapMachineId?: string;
  /** The pinned machine may have taken the call: written before it is sent. */
  readonly bootstrapSentAt?: Date;
  readonly bootstrappedAt?: Date;
  readonly hasSecrets: boolean;
  /** Its create operation succeeded: from then on trouble is called Degraded. */
  readonly wasReady: boolean;
}

/** Where a set that is not made of named machines gets them. */
export interface SetSupply {
  readonly providerId: string;
  readonly shape: MachineShape;
}

export interface MachineSetView {
  readonly id: string;
  readonly name: string;
  readonly role: 'control-plane' | 'worker';
  readonly sourceKind: 'managed' | 'machines' | 'class';
  readonly replicas: number;
  /** The template no longer names it: it goes with its last machine. */
  readonly retired: boolean;
  /** Absent for named machines, and when the class or the alias it names does not exist (any more). */
  readonly supply?: SetSupply;
  readonly requestSet?: { readonly id: string; readonly replicas: number };
  /** sourceKind `machines`: the ids that the template names. */
  readonly wantedMachineIds: readonly string[];
}

export const REQUEST_PHASES = [
  'Pending',
  'Claimed',
  'Provisioning',
  'Provisioned',
  'Joined',
  'Failed',
  'Deprovisioning',
  'Deprovisioned',
] as const;
export type RequestPhase = (typeof REQUEST_PHASES)[number];

export interface MachineRequestView {
  readonly id: string;
  readonly name: string;
  readonly setId: string;
  readonly phase: RequestPhase;
  readonly createdAt: Date;
  /** No agent ever claimed it: nothing can exist for it at the provider. */
  readonly neverClaimed: boolean;
  readonly machineId?: string;
  readonly deprovisionRequestedAt?: Date;
  readonly gateOpenedAt?: Date;
  readonly lastError?: string;
  /** Failed for good: no attempt will follow. */
  readonly givenUp: boolean;
}

export interface MachineView {
  readonly id: string;
  readonly setId: string;
  readonly role: 'control-plane' | 'worker';
  readonly hostname: string;
  readonly requestId?: string;
  /** The provider says that it no longer exists. */
  readonly gone: boolean;
  readonly facts?: MachineFacts;
  readonly factsAt?: Date;
  /** Hash of the inputs of the config that was applied last. */
  readonly configHash?: string;
  readonly configAppliedAt?: Date;
  /** Hash of the inputs of the config that it should have. */
  readonly desiredConfigHash: string;
  readonly resetSentAt?: Date;
  readonly configRejection?: ConfigRejection;
}

/** What the machine said of the last config that it did not take. */
export interface ConfigRejection {
  /** Of the inputs, as in `configHash`. */
  readonly hash: string;
  readonly message: string;
  readonly at: Date;
}

/** A machine that the template names: where it stands for this cluster. */
export interface WantedMachineView {
  readonly machineId: string;
  readonly setId: string;
  readonly hostname: string;
  readonly availability: 'free' | 'allocated' | 'taken' | 'absent';
}

export interface ClusterSnapshot {
  readonly now: Date;
  readonly cluster: ClusterView;
  /** In the spec's order: the control plane first. */
  readonly sets: readonly MachineSetView[];
  readonly requests: readonly MachineRequestView[];
  readonly machines: readonly MachineView[];
  readonly wanted: readonly WantedMachineView[];
  /** Tear-down only: the affiliates were removed, or the attempt was given up. */
  readonly affiliatesCleaned: boolean;
}

export const controlPlaneSet = (s: ClusterSnapshot): MachineSetView | undefined =>
  s.sets.find((set) => set.role === 'control-plane');

/** Machines that the planner counts on: the provider has them and no one asked for their end. */
export function livingMachines(s: ClusterSnapshot): readonly MachineView[] {
  const leaving = new Set(s.requests.filter((r) => r.deprovisionRequestedAt !== undefined).map((r) => r.id));
  return s.machines.filter((m) => !m.gone && (m.requestId === undefined || !leaving.has(m.requestId)));
}

/** Machines by the request they were made for: plans stay linear in the number of machines. */
export function machinesByRequest(s: ClusterSnapshot): ReadonlyMap<string, MachineView> {
  return new Map(s.machines.flatMap((m) => (m.requestId === undefined ? [] : [[m.requestId, m] as const])));
}
