/** The tenant's patches of a spec with their weights (behavior table 8): cluster 100.., machine set 200.., machine 400... */
import type { ClusterSpec, PatchSpec } from './cluster-spec';

export interface TenantPatchDraft {
  readonly setName?: string;
  readonly machineId?: string;
  readonly name: string;
  readonly weight: number;
  readonly content: string;
}

type Scope = Pick<TenantPatchDraft, 'setName' | 'machineId'>;

/** A patch never leaves the band of its scope; within the band the template's order decides. */
function weigh(patches: readonly PatchSpec[], base: number, scope: Scope): TenantPatchDraft[] {
  return patches.map(({ name, content }, index) => ({
    ...scope,
    name,
    content,
    weight: base + Math.min(index, 99),
  }));
}

export function listTenantPatches(spec: ClusterSpec): TenantPatchDraft[] {
  return [
    ...weigh(spec.patches, 100, {}),
    ...[spec.controlPlane, ...spec.workers].flatMap((set) => weigh(set.patches, 200, { setName: set.name })),
    ...spec.machines.flatMap((machine) => weigh(machine.patches, 400, { machineId: machine.machineId })),
  ];
}
