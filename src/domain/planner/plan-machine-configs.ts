/**
 * Which machines get their config now. The first config goes to a machine that waits in maintenance mode; a changed one
 * goes to a running machine without a reboot. The same config is never sent twice, unless the machine still waits for it.
 */
import { step } from './cluster-step';
import type { Contribution } from './cluster-plan';
import {
  livingMachines,
  type ClusterSnapshot,
  type ConfigRejection,
  type MachineView,
} from './cluster-snapshot';

/** A machine that still shows maintenance this long after an accepted config did not get it: sent again. */
export const CONFIG_SETTLE_MS = 30_000;

/** A machine that refused a config gets another one at once, and the same one after this: its Talos may be newer then. */
export const REJECTED_AGAIN_MS = 10 * 60_000;

/** Of the config that the machine should have now; that of an older one says nothing any more. */
export function currentRejection(machine: MachineView): ConfigRejection | undefined {
  const { configRejection, configHash, desiredConfigHash } = machine;
  const isCurrent = configRejection?.hash === desiredConfigHash && configHash !== desiredConfigHash;
  return isCurrent ? configRejection : undefined;
}

export function planMachineConfigs(snapshot: ClusterSnapshot): Contribution {
  if (!snapshot.cluster.hasSecrets) {
    return { steps: [], waiting: [] };
  }
  const parts = livingMachines(snapshot).map((machine) => planOne(snapshot, machine));
  return { steps: parts.flatMap((p) => p.steps), waiting: parts.flatMap((p) => p.waiting) };
}

function planOne(snapshot: ClusterSnapshot, machine: MachineView): Contribution {
  const contact = machine.facts?.contact;
  const { id: machineId, hostname } = machine;
  const rejection = currentRejection(machine);
  if (rejection !== undefined && snapshot.now.getTime() - rejection.at.getTime() < REJECTED_AGAIN_MS) {
    return { steps: [], waiting: [{ on: hostname, message: `it refuses its config: ${rejection.message}` }] };
  }
  if (contact === 'maintenance' && !isSettling(snapshot, machine)) {
    const because =
      machine.configAppliedAt === undefined ? 'it waits for its config' : 'it still waits for its config';
    return {
      steps: [step('ApplyConfig', hostname, because, { machineId, mode: 'maintenance' })],
      waiting: [],
    };
  }
  if (
    contact === 'configured' &&
    machine.facts?.stage === 'running' &&
    machine.configHash !== machine.desiredConfigHash
  ) {
    return {
      steps: [step('ApplyConfig', hostname, 'its config changed', { machineId, mode: 'configured' })],
      waiting: [],
    };
  }
  return { steps: [], waiting: waitingFor(machine) };
}

function isSettling({ now }: ClusterSnapshot, { configAppliedAt }: MachineView): boolean {
  return configAppliedAt !== undefined && now.getTime() - configAppliedAt.getTime() < CONFIG_SETTLE_MS;
}

function waitingFor(machine: MachineView): Contribution['waiting'] {
  const on = machine.hostname;
  switch (machine.facts?.contact) {
    case undefined:
      return [{ on, message: 'it has not been looked at yet' }];
    case 'foreign':
      return [{ on, message: 'it answers with the certificates of another cluster; wipe it first' }];
    case 'unreachable':
      return [
        {
          on,
          message:
            machine.configAppliedAt === undefined ? 'it does not answer' : 'it is installing or rebooting',
        },
      ];
    case 'maintenance':
      return [{ on, message: 'it took its config and installs' }];
    case 'configured':
      return machine.facts.ready === true && machine.facts.stage === 'running'
        ? []
        : [{ on, message: describeStage(machine) }];
  }
}

function describeStage({ facts }: MachineView): string {
  const unmet = facts?.unmetConditions ?? [];
  return `it is ${facts?.stage ?? 'unknown'}${unmet.length > 0 ? `, waiting for ${unmet.join(', ')}` : ''}`;
}
