/** What of a living cluster cannot change: whether it is managed and where, and the source of a set that holds machines. */
import type { Violation } from '../shared/errors';
import { isManaged, type ClusterSpec, type MachineSetSpec } from './cluster-spec';

export interface ImmutableChange {
  readonly before: ClusterSpec;
  readonly after: ClusterSpec;
  /** Names of the sets that have machines now. */
  readonly occupiedSets: readonly string[];
}

export function refuseImmutableChange({ before, after, occupiedSets }: ImmutableChange): Violation[] {
  if (isManaged(before) !== isManaged(after)) {
    return [managedFlag(isManaged(before))];
  }
  const was = before.controlPlane.source;
  const is = after.controlPlane.source;
  const moved = was.kind === 'managed' && is.kind === 'managed' && was.provider !== is.provider;
  const sources = [after.controlPlane, ...after.workers].flatMap((set) =>
    refuseSourceChange(before, set, occupiedSets),
  );
  return moved ? [providerChange(was.provider), ...sources] : sources;
}

const managedFlag = (wasManaged: boolean): Violation => ({
  path: 'ControlPlane.managed',
  code: 'MANAGED_IMMUTABLE',
  reason: wasManaged
    ? 'this cluster has a managed control plane'
    : 'this cluster does not have a managed control plane',
  remedy: 'Keep it as it is, or make a new cluster under another name.',
});

const providerChange = (provider: string): Violation => ({
  path: 'ControlPlane.managed.provider',
  code: 'PROVIDER_IMMUTABLE',
  reason: `the control plane runs at ${provider} and cannot move`,
  remedy: `Set it back to ${provider}, or make a new cluster under another name.`,
});

function refuseSourceChange(
  before: ClusterSpec,
  set: MachineSetSpec,
  occupiedSets: readonly string[],
): Violation[] {
  const was = [before.controlPlane, ...before.workers].find((other) => other.name === set.name);
  if (was === undefined || was.source.kind === set.source.kind || !occupiedSets.includes(set.name)) {
    return [];
  }
  return [
    {
      path: set.role === 'control-plane' ? 'ControlPlane' : `Workers[${set.name}]`,
      code: 'SOURCE_IMMUTABLE',
      reason: `machine set ${set.name} holds machines and cannot change from ${was.source.kind} to ${set.source.kind}`,
      remedy: 'Add a second set with the new source, then remove this one.',
    },
  ];
}
