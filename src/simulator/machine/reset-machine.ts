/** Reset: what is wiped decides whether the machine comes back as a node, in maintenance mode, or not at all. */
import {
  ResetRequest_WipeMode as WipeMode,
  type ResetRequest,
} from '../../generated/proto/talos/machine/machine';
import { withdrawNode } from './announce-node';
import type { SimulatedMachine } from './simulated-machine';

export function resetMachine(machine: SimulatedMachine, request: ResetRequest): void {
  const labels = request.systemPartitionsToWipe.filter((spec) => spec.wipe).map((spec) => spec.label);
  const wholeDisk = labels.length === 0 && request.mode !== WipeMode.USER_DISKS;
  machine.leave(
    'resetting',
    async () => {
      if (!request.graceful) {
        return;
      }
      if (machine.etcd?.member !== undefined) {
        await machine.etcd.leave();
      }
      withdrawNode(machine);
    },
    async () => {
      await wipe(machine, wholeDisk ? ['STATE', 'EPHEMERAL'] : labels);
      machine.record.diskWiped = wholeDisk;
      if (!request.reboot) {
        machine.record.power = 'off';
      }
      machine.save();
      if (request.reboot && !wholeDisk) {
        await machine.powerOnAgain();
      }
    },
  );
}

async function wipe(machine: SimulatedMachine, labels: readonly string[]): Promise<void> {
  const { record, world } = machine;
  if (labels.includes('EPHEMERAL') || labels.includes('ETCD')) {
    const dataDir = `${world.files.etcdDir(record.ref)}/data`;
    await world.engine.wipe({ name: '', dataDir, clientPort: 0, peerPort: 0 });
  }
  if (!labels.includes('STATE')) {
    return;
  }
  world.files.writeConfig(record.ref, undefined);
  delete record.nodeId;
  machine.config = undefined;
}
