/**
 * Fields that the template language has and that this release does not act on. Where ignoring one would harm (a restore,
 * encryption) the template is refused; the others are kept, and a warning says so. Listed in docs/known-gaps.md.
 */
import type { Violation } from '../shared/errors';
import type { ClusterSpec, MachineSetSpec } from './cluster-spec';

export interface FieldVerdict {
  readonly violations: readonly Violation[];
  readonly warnings: readonly Violation[];
}

export function judgeUnavailableFields(spec: ClusterSpec): FieldVerdict {
  const sets = [spec.controlPlane, ...spec.workers];
  return {
    violations: [
      ...(spec.features.diskEncryption
        ? [
            refused(
              'Cluster.features.diskEncryption',
              'disk encryption is not available yet',
              'Leave it out.',
            ),
          ]
        : []),
      ...sets.flatMap((set) => refusedOfSet(set)),
    ],
    warnings: [...ofCluster(spec), ...sets.flatMap((set) => keptOf(pathOf(set), set)), ...ofMachines(spec)],
  };
}

const pathOf = (set: MachineSetSpec): string =>
  set.role === 'control-plane' ? 'ControlPlane' : `Workers[${set.name}]`;

const refused = (path: string, reason: string, remedy: string): Violation => ({
  path,
  code: 'FIELD_UNAVAILABLE',
  reason,
  remedy,
});

const kept = (path: string): Violation => ({
  path,
  code: 'FIELD_WITHOUT_EFFECT',
  reason: 'It is kept and has no effect yet.',
  remedy: 'Leave it in for later, or take it out.',
});

function refusedOfSet(set: MachineSetSpec): Violation[] {
  const path = pathOf(set);
  const restore =
    set.bootstrapSpec === undefined
      ? []
      : [
          refused(
            `${path}.bootstrapSpec`,
            'restoring from a backup is not available yet',
            'Leave it out; the cluster would start empty.',
          ),
        ];
  const isUnlimited = set.source.kind === 'class' && set.source.size === 'unlimited';
  const size = isUnlimited
    ? [
        refused(
          `${path}.machineClass.size`,
          'a machine class makes machines on demand, so "unlimited" would never end',
          'Write a number.',
        ),
      ]
    : [];
  return [...restore, ...size];
}

function ofCluster({ features, manifests, healthChecks = [], ...spec }: ClusterSpec): Violation[] {
  const set: Readonly<Record<string, boolean>> = {
    'Cluster.features.enableWorkloadProxy': features.enableWorkloadProxy,
    'Cluster.features.useEmbeddedDiscoveryService': features.useEmbeddedDiscoveryService,
    'Cluster.features.disablePublicDiscoveryService': features.disablePublicDiscoveryService === true,
    'Cluster.features.enableNodeAuditSkip': features.enableNodeAuditSkip,
    'Cluster.kubernetes.manifests': manifests.length > 0,
    'Cluster.kubernetes.healthchecks': healthChecks.length > 0,
  };
  return [
    ...Object.keys(set)
      .filter((path) => set[path])
      .map(kept),
    ...keptOf('Cluster', spec),
  ];
}

function keptOf(
  path: string,
  { systemExtensions = [], kernelArgs = [] }: Pick<MachineSetSpec, 'systemExtensions' | 'kernelArgs'>,
): Violation[] {
  return [
    ...(systemExtensions.length > 0 ? [kept(`${path}.systemExtensions`)] : []),
    ...(kernelArgs.length > 0 ? [kept(`${path}.kernelArgs`)] : []),
  ];
}

function ofMachines({ machines }: ClusterSpec): Violation[] {
  return machines.flatMap((machine) => {
    const path = `Machine[${machine.machineId}]`;
    const disk = machine.installDiskSelector === undefined ? [] : [kept(`${path}.install.diskSelector`)];
    return [...disk, ...(machine.locked ? [kept(`${path}.locked`)] : []), ...keptOf(path, machine)];
  });
}
