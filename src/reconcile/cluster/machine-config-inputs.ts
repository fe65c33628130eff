/** What goes into one machine's config, from the rows; and a hash of it that needs no secret to compute. */
import { createHash } from 'node:crypto';
import type { MachineConfigInput, WeightedPatch } from '../../domain/machine-config/machine-config-input';
import { managedPatches } from '../../domain/patch/managed-patches';
import type { MachineSetView } from '../../domain/planner/cluster-snapshot';
import type { ClusterRows, MachineRow } from './cluster-rows';

/** Image Factory id of the schematic without extensions and arguments. */
const PLAIN_SCHEMATIC = '376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba';
const DEFAULT_INSTALL_DISK = '/dev/vda';

export interface ConfigSurroundings {
  readonly gatewayPort: number;
  readonly discoveryUrl: string;
}

export type SecretlessInput = Omit<MachineConfigInput, 'secrets'>;

export function machineConfigInput(
  rows: ClusterRows,
  set: MachineSetView,
  machine: MachineRow,
  around: ConfigSurroundings,
): SecretlessInput {
  const { cluster } = rows;
  const own = cluster.spec.machines.find((m) => m.machineId === machine.id);
  const { talosVersion, kubernetesVersion } = cluster.spec;
  return {
    clusterName: cluster.name,
    role: set.role,
    hostname: machine.hostname,
    endpoint: `https://${cluster.endpointHost}:${around.gatewayPort}`,
    talosVersion,
    kubernetesVersion,
    installDisk: own?.installDisk ?? DEFAULT_INSTALL_DISK,
    schematicId: PLAIN_SCHEMATIC,
    certSANs: [cluster.endpointHost],
    discoveryEndpoint: around.discoveryUrl,
    skipNodeRegistration: false,
    patches: patchesFor(rows, set, machine),
  };
}

function patchesFor(rows: ClusterRows, set: MachineSetView, machine: MachineRow): WeightedPatch[] {
  const { cluster } = rows;
  const stored = rows.patches
    .filter(
      (p) =>
        (p.machineSetId === undefined || p.machineSetId === set.id) &&
        (p.machineId === undefined || p.machineId === machine.id),
    )
    .map(({ name, weight, origin, content }) => ({ name, weight, origin, content }));
  const managed = cluster.managed
    ? managedPatches({ role: set.role, talosVersion: cluster.spec.talosVersion })
    : [];
  return [...stored, ...managed].sort((a, b) => a.weight - b.weight || (a.name < b.name ? -1 : 1));
}

/** Equal hashes mean equal configs, since a cluster's secrets do not change under it. */
export function inputHash(input: SecretlessInput): string {
  return createHash('sha256').update(JSON.stringify(input)).digest('hex');
}
