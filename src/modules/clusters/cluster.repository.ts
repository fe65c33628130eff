import type { ClusterSpec } from '../../domain/cluster/cluster-spec';
import type { MachineSetDraft } from '../../domain/cluster/list-machine-sets';
import type { TenantPatchDraft } from '../../domain/cluster/list-tenant-patches';
import type { Explain } from '../../domain/planner/plan';
import type { Condition } from '../../domain/shared/condition';
import type { Page, PageRequest } from '../../platform/http/paging';
import type { TenantTx } from '../tenancy/tenant-unit-of-work';

export interface ClusterRow {
  readonly id: string;
  readonly name: string;
  readonly spec: ClusterSpec;
  readonly templateText: string;
  readonly managed: boolean;
  readonly generation: number;
  readonly observedGeneration: number;
  readonly version: number;
  readonly state: string;
  readonly conditions: readonly Condition[];
  readonly explain: Partial<Explain>;
  readonly endpointHost: string;
  readonly deleteRequestedAt: Date | null;
  readonly bootstrappedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ClusterMachineRow {
  readonly id: string;
  readonly clusterId: string;
  readonly setName: string;
  readonly name: string;
  readonly role: string;
  readonly managed: boolean;
  readonly state: string;
  readonly ready: boolean;
  readonly talosVersion: string | null;
  readonly message: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface SpecWrite {
  readonly spec: ClusterSpec;
  readonly templateText: string;
  readonly sets: readonly MachineSetDraft[];
  readonly patches: readonly TenantPatchDraft[];
}

export abstract class ClusterRepository {
  /** Waits for other writers of this name in this tenant, existing or not, until the transaction ends. */
  abstract lock(tx: TenantTx, name: string): Promise<ClusterRow | undefined>;
  abstract find(tx: TenantTx, name: string): Promise<ClusterRow | undefined>;
  abstract findById(tx: TenantTx, id: string): Promise<ClusterRow | undefined>;
  abstract list(tx: TenantTx, page: PageRequest): Promise<Page<ClusterRow>>;
  abstract create(tx: TenantTx, cluster: SpecWrite & { readonly endpointHost: string }): Promise<ClusterRow>;
  /** Replaces spec, sets and the tenant's patches, and raises the generation. */
  abstract update(tx: TenantTx, id: string, write: SpecWrite): Promise<ClusterRow>;
  /** The text alone: comments and order, nothing that the reconciler acts on. */
  abstract updateText(tx: TenantTx, id: string, templateText: string): Promise<void>;
  abstract requestDelete(tx: TenantTx, id: string, at: Date): Promise<ClusterRow>;
  abstract listMachines(tx: TenantTx, clusterId: string, page: PageRequest): Promise<Page<ClusterMachineRow>>;
  abstract findMachine(tx: TenantTx, id: string): Promise<ClusterMachineRow | undefined>;
  /** Names of the machine sets that hold machines now. */
  /** Those of the names that are machine classes of the tenant. */
  abstract knownClasses(tx: TenantTx, names: readonly string[]): Promise<ReadonlySet<string>>;
  abstract occupiedSets(tx: TenantTx, clusterId: string): Promise<readonly string[]>;
}
