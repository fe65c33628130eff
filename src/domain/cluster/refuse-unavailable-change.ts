/**
 * Changes that are legal and that this release cannot carry out yet: new versions and another size of a living control
 * plane. Better refused at the door than accepted and never done. Listed in docs/known-gaps.md.
 */
import type { Violation } from '../shared/errors';
import type { ClusterSpec, MachineSource } from './cluster-spec';

export function refuseUnavailableChange(before: ClusterSpec, after: ClusterSpec): Violation[] {
  const version = (path: string, was: string, is: string): Violation[] =>
    was === is
      ? []
      : [
          {
            path,
            code: 'UPGRADE_UNAVAILABLE',
            reason: `this cluster runs ${was}, and upgrades are not available yet`,
            remedy: `Set it back to ${was}, or make a new cluster with ${is}.`,
          },
        ];
  return [
    ...version('Cluster.talos.version', before.talosVersion, after.talosVersion),
    ...version('Cluster.kubernetes.version', before.kubernetesVersion, after.kubernetesVersion),
    ...refuseResize(before.controlPlane.source, after.controlPlane.source),
  ];
}

/** Where the size is written, and what it says. */
function sizeOf(source: MachineSource): { readonly path: string; readonly size: string } {
  switch (source.kind) {
    case 'managed':
      return { path: 'ControlPlane.managed.size', size: source.size };
    case 'class':
      return { path: 'ControlPlane.machineClass.size', size: String(source.size) };
    case 'machines':
      return { path: 'ControlPlane.machines', size: [...source.machineIds].sort().join(', ') };
  }
}

function refuseResize(before: MachineSource, after: MachineSource): Violation[] {
  const was = sizeOf(before);
  const is = sizeOf(after);
  return before.kind !== after.kind || was.size === is.size
    ? []
    : [
        {
          path: is.path,
          code: 'RESIZE_UNAVAILABLE',
          reason: `the control plane was made as ${was.size}, and resizing one is not available yet`,
          remedy: `Set it back to ${was.size}, or make a new cluster.`,
        },
      ];
}
