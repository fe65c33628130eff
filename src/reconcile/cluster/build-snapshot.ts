/** Turns rows and fresh facts into what the planner looks at. */
import { machineHostname } from '../../domain/cluster/machine-hostname';
import type { ClusterSnapshot, MachineView } from '../../domain/planner/cluster-snapshot';
import { inputHash, machineConfigInput, type ConfigSurroundings } from './machine-config-inputs';
import type { ClusterRow, ClusterRows, MachineRow } from './cluster-rows';

export function buildSnapshot(rows: ClusterRows, around: ConfigSurroundings, now: Date): ClusterSnapshot {
  const { cluster, sets, requests } = rows;
  return {
    now,
    cluster: {
      id: cluster.id,
      name: cluster.name,
      managed: cluster.managed,
      generation: cluster.generation,
      spec: cluster.spec,
      hasSecrets: cluster.hasSecrets,
      wasReady: wasReady(cluster),
      ...(cluster.deleteRequestedAt && { deleteRequestedAt: cluster.deleteRequestedAt }),
      ...(cluster.bootstrapMachineId !== undefined && { bootstrapMachineId: cluster.bootstrapMachineId }),
      ...(cluster.bootstrapSentAt && { bootstrapSentAt: cluster.bootstrapSentAt }),
      ...(cluster.bootstrappedAt && { bootstrappedAt: cluster.bootstrappedAt }),
    },
    sets,
    requests,
    machines: rows.machines.flatMap((machine) => viewOf(rows, machine, around)),
    wanted: sets.flatMap((set) =>
      set.wantedMachineIds.map((machineId) => ({
        machineId,
        setId: set.id,
        hostname: machineHostname([cluster.name], machineId),
        availability: rows.named.find((n) => n.machineId === machineId)?.availability ?? ('absent' as const),
      })),
    ),
    affiliatesCleaned: cluster.affiliatesCleaned,
  };
}

function wasReady(cluster: ClusterRow): boolean {
  return cluster.state === 'Ready' || cluster.state === 'Degraded';
}

function viewOf(rows: ClusterRows, machine: MachineRow, around: ConfigSurroundings): MachineView[] {
  const set = rows.sets.find((s) => s.id === machine.setId);
  if (set === undefined) {
    return [];
  }
  const desiredConfigHash = inputHash(machineConfigInput(rows, set, machine, around));
  return [{ ...machine, role: set.role, desiredConfigHash }];
}
