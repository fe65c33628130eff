/** What the store reads of one cluster, at one point in time. */
import type { ClusterSpec } from '../../domain/cluster/cluster-spec';
import type { MachineFacts } from '../../domain/machine/machine-facts';
import type { WeightedPatch } from '../../domain/machine-config/machine-config-input';
import type { MachineProjection } from '../../domain/planner/cluster-plan';
import type {
  ConfigRejection,
  MachineRequestView,
  MachineSetView,
} from '../../domain/planner/cluster-snapshot';
import type { TimedRung } from '../../domain/planner/merge-ladder';
import type { Explain } from '../../domain/planner/plan';
import type { Condition } from '../../domain/shared/condition';

export interface ClusterRow {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly managed: boolean;
  readonly generation: number;
  readonly observedGeneration: number;
  readonly spec: ClusterSpec;
  readonly state: string;
  readonly conditions: readonly Condition[];
  readonly explain: Explain | undefined;
  readonly endpointHost: string;
  readonly hasSecrets: boolean;
  readonly affiliatesCleaned: boolean;
  readonly deleteRequestedAt?: Date;
  readonly bootstrapMachineId?: string;
  readonly bootstrapSentAt?: Date;
  readonly bootstrappedAt?: Date;
}

export interface MachineRow {
  readonly id: string;
  readonly tenantId: string;
  readonly setId: string;
  readonly hostname: string;
  readonly requestId?: string;
  readonly gone: boolean;
  readonly talosEndpoint: string;
  readonly kubernetesEndpoint: string;
  readonly addresses: readonly string[];
  readonly facts?: MachineFacts;
  readonly factsAt?: Date;
  readonly configHash?: string;
  readonly configRejection?: ConfigRejection;
  readonly configAppliedAt?: Date;
  readonly resetSentAt?: Date;
}

export interface OperationRow {
  readonly id: string;
  readonly kind: string;
  readonly generation: number;
  readonly state: string;
  readonly steps: readonly TimedRung[];
  readonly message: string;
}

export interface PatchRow extends WeightedPatch {
  readonly machineSetId?: string;
  readonly machineId?: string;
}

export interface NamedMachineRow {
  readonly machineId: string;
  readonly availability: 'free' | 'allocated' | 'taken' | 'absent';
}

export interface ClusterRows {
  readonly cluster: ClusterRow;
  readonly sets: readonly MachineSetView[];
  readonly requests: readonly MachineRequestView[];
  readonly machines: readonly MachineRow[];
  readonly named: readonly NamedMachineRow[];
  readonly patches: readonly PatchRow[];
  readonly projections: readonly MachineProjection[];
  /** Pending and running ones. */
  readonly operations: readonly OperationRow[];
}
