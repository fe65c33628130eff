/** The cluster planner's answer: a plan, the rows that the tenant sees of its machines, and the ladder of the running operation. */
import type { Condition } from '../shared/condition';
import type { ClusterStep } from './cluster-step';
import type { Explain, Plan } from './plan';

export const CLUSTER_STATES = ['Pending', 'Provisioning', 'Ready', 'Degraded', 'Deleting'] as const;
export type ClusterState = (typeof CLUSTER_STATES)[number];

/** A rung of the ladder that `--wait` shows. */
export interface LadderRung {
  readonly name: string;
  readonly state: 'pending' | 'running' | 'done';
  readonly message: string;
}

/** One machine as its cluster's tenant may know it: no address, no provider. */
export interface MachineProjection {
  /** Equals the machine's or, before there is one, its request's id. */
  readonly id: string;
  readonly setName: string;
  readonly name: string;
  readonly role: 'control-plane' | 'worker';
  readonly managed: boolean;
  readonly state: string;
  readonly ready: boolean;
  readonly talosVersion?: string;
  readonly message: string;
}

export interface ClusterPlan extends Plan<ClusterStep> {
  readonly state: ClusterState;
  /** Everything that was asked for and can be had is there: the running operation has succeeded. */
  readonly complete: boolean;
  readonly ladder: readonly LadderRung[];
  readonly machines: readonly MachineProjection[];
}

/** What each part of the planner contributes. */
export interface Contribution {
  readonly steps: readonly ClusterStep[];
  readonly waiting: Explain['waiting'];
}

export const NOTHING: Contribution = { steps: [], waiting: [] };

export type ConditionDrafts = readonly Omit<Condition, 'lastTransitionTime'>[];
