/** Everything that the cluster reconciler reads and writes in the database. Writes are fenced, idempotent, one transaction each. */
import type { MachineFacts } from '../../domain/machine/machine-facts';
import type { MachineProjection } from '../../domain/planner/cluster-plan';
import type { GateReason } from '../../domain/planner/cluster-step';
import type { ConfigRejection, MachineSetView } from '../../domain/planner/cluster-snapshot';
import type { Explain } from '../../domain/planner/plan';
import type { Condition } from '../../domain/shared/condition';
import type { Lease } from '../runtime/lease';
import type { ClusterRow, ClusterRows, OperationRow } from './cluster-rows';

/** For the tenant's timeline; names no hidden object. */
export interface Happening {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface StatusWrite {
  readonly state: string;
  readonly conditions: readonly Condition[];
  readonly explain: Explain;
  readonly observedGeneration: number;
  readonly machines: { readonly put: readonly MachineProjection[]; readonly remove: readonly string[] };
  readonly operations: readonly (OperationRow & {
    readonly error?: { readonly code: string; readonly message: string };
  })[];
  readonly happenings: readonly Happening[];
}

export interface SeenFacts {
  readonly machineId: string;
  readonly facts: MachineFacts;
  readonly at: Date;
}

export abstract class ClusterStore {
  /** One repeatable-read snapshot; undefined when there is no such cluster (any more). */
  abstract load(clusterId: string): Promise<ClusterRows | undefined>;
  abstract writeFacts(lease: Lease, seen: readonly SeenFacts[]): Promise<void>;
  abstract writeStatus(lease: Lease, cluster: ClusterRow, status: StatusWrite): Promise<void>;

  /** With its first requests, in one transaction. */
  abstract createRequestSet(lease: Lease, cluster: ClusterRow, set: MachineSetView): Promise<void>;
  abstract resizeRequestSet(lease: Lease, requestSetId: string, replicas: number): Promise<void>;
  /** Makes requests until `replicas` of the set are alive; never more, whoever made the others. */
  abstract createRequests(lease: Lease, cluster: ClusterRow, set: MachineSetView): Promise<void>;
  abstract allocateMachine(
    lease: Lease,
    cluster: ClusterRow,
    machineId: string,
    setId: string,
    hostname: string,
  ): Promise<void>;
  abstract recordConfig(lease: Lease, machineId: string, configHash: string, at: Date): Promise<void>;
  abstract recordConfigRejection(lease: Lease, machineId: string, rejection: ConfigRejection): Promise<void>;
  /** Only where the pin is still `insteadOf`. */
  abstract pinBootstrap(
    lease: Lease,
    clusterId: string,
    machineId: string,
    insteadOf: string | null,
    at: Date,
  ): Promise<void>;
  /** Before the call is sent; null when the machine did not take it. */
  abstract recordBootstrapSent(lease: Lease, clusterId: string, at: Date | null): Promise<void>;
  abstract recordBootstrapped(lease: Lease, clusterId: string, at: Date): Promise<void>;
  abstract requestDeprovision(lease: Lease, requestId: string, at: Date): Promise<void>;
  abstract recordReset(lease: Lease, machineId: string, at: Date): Promise<void>;
  abstract openGate(lease: Lease, requestId: string, reason: GateReason, at: Date): Promise<void>;
  /** Removes a request whose machine is gone, or that never had one, together with its machine's row. */
  abstract forgetRequest(lease: Lease, requestId: string): Promise<void>;
  /** Gives a named machine back to its owner. */
  abstract releaseMachine(lease: Lease, machineId: string): Promise<void>;
  /** Removes an empty set and what was made for it. */
  abstract forgetMachineSet(lease: Lease, setId: string): Promise<void>;
  /** The last act: every row of the cluster goes, its delete operation succeeds, its name is free. */
  abstract deleteCluster(lease: Lease, cluster: ClusterRow): Promise<void>;
  abstract recordHappening(lease: Lease, cluster: ClusterRow, happening: Happening): Promise<void>;
}
