/** The machine sets of a spec as rows: how many machines each wants, and where it gets them. */
import { assertNever } from '../shared/assert-never';
import { findSizeTier } from '../tiers/size-tiers';
import type { ClusterSpec, MachineSetSpec, MachineSource } from './cluster-spec';

export interface MachineSetDraft {
  readonly name: string;
  readonly role: MachineSetSpec['role'];
  readonly sourceKind: MachineSource['kind'];
  readonly source: MachineSource;
  readonly replicas: number;
}

export function listMachineSets(spec: ClusterSpec): MachineSetDraft[] {
  return [spec.controlPlane, ...spec.workers].map(({ name, role, source }) => ({
    name,
    role,
    sourceKind: source.kind,
    source,
    replicas: replicasOf(source),
  }));
}

function replicasOf(source: MachineSource): number {
  switch (source.kind) {
    case 'managed':
      return findSizeTier(source.size)?.machines ?? 0;
    case 'machines':
      return source.machineIds.length;
    case 'class':
      // unlimited: as many as there are, so no number is wanted
      return source.size === 'unlimited' ? 0 : source.size;
    default:
      return assertNever(source);
  }
}
