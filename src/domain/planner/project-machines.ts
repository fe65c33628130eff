/** The rows by which a tenant sees the machines of its cluster: that they exist and how they are, and nothing more. */
import { assertNever } from '../shared/assert-never';
import type { MachineProjection } from './cluster-plan';
import type { ClusterSnapshot, MachineRequestView, MachineSetView, MachineView } from './cluster-snapshot';
import { isMachineReady } from './judge-cluster';

export function projectMachines(snapshot: ClusterSnapshot): MachineProjection[] {
  return snapshot.sets.flatMap((set) => {
    const machines = snapshot.machines.filter((m) => m.setId === set.id && !m.gone);
    const requests = snapshot.requests.filter((r) => r.setId === set.id);
    const served = new Set(machines.map((m) => m.requestId));
    const leaving = new Set(requests.filter((r) => r.deprovisionRequestedAt !== undefined).map((r) => r.id));
    const waiting = requests.filter((r) => !served.has(r.id));
    return [...machines.map((m) => fromMachine(set, m, leaving)), ...waiting.map((r) => fromRequest(set, r))];
  });
}

function fromMachine(
  set: MachineSetView,
  machine: MachineView,
  leaving: ReadonlySet<string>,
): MachineProjection {
  const isLeaving = machine.requestId !== undefined && leaving.has(machine.requestId);
  const version = machine.facts?.talosVersion;
  return {
    // The request's id while there is one: the row keeps its identity from the first wish to the running machine.
    id: machine.requestId ?? machine.id,
    setName: set.name,
    name: machine.hostname,
    role: set.role,
    managed: set.sourceKind === 'managed',
    state: isLeaving ? 'Deleting' : describe(machine),
    ready: !isLeaving && isMachineReady(machine),
    ...(version === undefined ? {} : { talosVersion: version }),
    message: (machine.facts?.unmetConditions ?? []).join(', '),
  };
}

function describe(machine: MachineView): string {
  switch (machine.facts?.contact) {
    case undefined:
      return 'Booting';
    case 'maintenance':
      return machine.configAppliedAt === undefined ? 'AwaitingConfig' : 'Installing';
    case 'unreachable':
      return machine.configAppliedAt === undefined ? 'Booting' : 'Unreachable';
    case 'foreign':
      return 'Foreign';
    case 'configured':
      return isMachineReady(machine) ? 'Running' : capitalised(machine.facts.stage ?? 'unknown');
    default:
      return assertNever(machine.facts as never);
  }
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function fromRequest(set: MachineSetView, request: MachineRequestView): MachineProjection {
  const state =
    request.deprovisionRequestedAt !== undefined
      ? 'Deleting'
      : request.phase === 'Pending'
        ? 'Requested'
        : request.phase === 'Failed'
          ? 'Failed'
          : 'Provisioning';
  return {
    id: request.id,
    setName: set.name,
    name: request.name,
    role: set.role,
    managed: set.sourceKind === 'managed',
    state,
    ready: false,
    message: '',
  };
}
