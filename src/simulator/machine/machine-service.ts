/** machine.MachineService of one machine. */
import { randomUUID } from 'node:crypto';
import { status, type Server } from '@grpc/grpc-js';
import { versionOfImage } from '../config/node-config';
import {
  MachineServiceService,
  type MachineServiceServer,
} from '../../generated/proto/talos/machine/machine';
import { applyConfiguration } from './apply-configuration';
import { etcdCalls } from './etcd-calls';
import { reportServices } from './machine-health';
import { resetMachine } from './reset-machine';
import { serverStream, unary } from './serve-call';
import type { SimulatedMachine } from './simulated-machine';
import { invalidArgument, TalosError, unimplemented } from './talos-error';

export function machineService(server: Server, machine: SimulatedMachine): void {
  const implementation: MachineServiceServer = {
    ...etcdCalls(machine),
    ...lifecycleCalls(machine),
    applyConfiguration: unary(machine, 'ApplyConfiguration', (request) =>
      applyConfiguration(machine, request),
    ),
    hostname: unary(machine, 'Hostname', () => ({
      messages: [{ metadata: undefined, hostname: machine.hostname }],
    })),
    serviceList: unary(machine, 'ServiceList', async () => ({
      messages: [{ metadata: undefined, services: (await reportServices(machine)).map(serviceInfo) }],
    })),
    version: unary(machine, 'Version', () => ({ messages: [versionOf(machine)] })),
  };
  server.addService(MachineServiceService, implementation);
}

function lifecycleCalls(
  machine: SimulatedMachine,
): Pick<MachineServiceServer, 'reboot' | 'reset' | 'shutdown' | 'upgrade' | 'etcdSnapshot' | 'etcdRecover'> {
  const acted = (): { messages: { metadata: undefined; actorId: string }[] } => ({
    messages: [{ metadata: undefined, actorId: randomUUID() }],
  });
  return {
    reboot: unary(machine, 'Reboot', () => {
      requireStaying(machine);
      machine.reboot();
      return acted();
    }),
    shutdown: unary(machine, 'Shutdown', () => {
      requireStaying(machine);
      machine.leave(
        'shutting down',
        async () => undefined,
        () => {
          machine.record.power = 'off';
          machine.save();
        },
      );
      return acted();
    }),
    reset: unary(machine, 'Reset', (request) => {
      requireStaying(machine);
      resetMachine(machine, request);
      return acted();
    }),
    upgrade: unary(machine, 'Upgrade', ({ image }) => {
      requireStaying(machine);
      const version = versionOfImage(image);
      if (version === undefined) {
        throw invalidArgument(`error validating installer image "${image}": no version in its tag`);
      }
      machine.leave(
        'upgrading',
        async () => {
          machine.record.installedVersion = version;
          machine.save();
        },
        () => machine.powerOnAgain(),
      );
      return { messages: [{ metadata: undefined, ack: 'Upgrade request received', actorId: randomUUID() }] };
    }),
    etcdSnapshot: serverStream(machine, 'EtcdSnapshot', async () => {
      throw unimplemented('the simulator has no etcd snapshots');
    }),
    etcdRecover: (_call, callback) => {
      callback({ code: status.UNIMPLEMENTED, details: 'the simulator has no etcd snapshots' });
    },
  };
}

/** Talos would acknowledge the call and then find its sequences locked; the effect is the same: nothing. */
function requireStaying(machine: SimulatedMachine): void {
  if (machine.leaving) {
    throw new TalosError(status.FAILED_PRECONDITION, 'the machine is already on its way down');
  }
}

function serviceInfo(report: Awaited<ReturnType<typeof reportServices>>[number]): {
  id: string;
  state: string;
  events: undefined;
  health: { unknown: boolean; healthy: boolean; lastMessage: string; lastChange: undefined };
} {
  const health = {
    unknown: false,
    healthy: report.healthy,
    lastMessage: report.message,
    lastChange: undefined,
  };
  return { id: report.id, state: report.state, events: undefined, health };
}

function versionOf(machine: SimulatedMachine): {
  metadata: undefined;
  version: { tag: string; sha: string; built: string; goVersion: string; os: string; arch: string };
  platform: { name: string; mode: string };
  features: { rbac: boolean };
} {
  return {
    metadata: undefined,
    version: {
      tag: `v${machine.talosVersion}`,
      sha: 'simulated',
      built: '',
      goVersion: 'simulated',
      os: 'linux',
      arch: 'amd64',
    },
    platform: { name: 'simulated', mode: 'metal' },
    features: { rbac: true },
  };
}
