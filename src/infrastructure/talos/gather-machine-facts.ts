import { Metadata } from '@grpc/grpc-js';
import { parse } from 'yaml';
import { z } from 'zod';
import { MACHINE_STAGES, type EtcdFacts, type MachineFacts } from '../../domain/machine/machine-facts';
import { StateService } from '../../generated/proto/talos/cosi/state';
import {
  EtcdMemberAlarm_AlarmType,
  MachineServiceService,
  type EtcdMemberStatus,
  type ServiceInfo,
} from '../../generated/proto/talos/machine/machine';
import { collect, unary, type TalosConnection } from './talos-connection';

const MachineStatus = z.object({
  stage: z.enum(MACHINE_STAGES).catch('unknown'),
  status: z
    .object({
      ready: z.boolean().default(false),
      unmetConditions: z.array(z.object({ name: z.string() })).nullish(),
    })
    .optional(),
});
const Identity = z.object({ nodeId: z.string() });
const NodeStatus = z.object({ nodeReady: z.boolean().default(false) });

type Gathered = Omit<MachineFacts, 'contact' | 'error' | 'kubernetesReady'>;

/** Everything at once; what a machine does not answer (a worker has no etcd) is absent from the result. */
export async function gatherMachineFacts(
  connection: TalosConnection,
  role: 'control-plane' | 'worker',
  deadline: number,
): Promise<Gathered> {
  const parts = await Promise.all(
    [
      talosVersion(connection, deadline),
      machineStatus(connection, deadline),
      identity(connection, deadline),
      hostname(connection, deadline),
      services(connection, deadline),
      nodeStatus(connection, deadline),
      ...(role === 'control-plane' ? [etcd(connection, deadline)] : []),
    ].map((part) => part.catch((): Gathered => ({}))),
  );
  return parts.reduce((all, part) => ({ ...all, ...part }), {});
}

/** Serves as the first contact too: every configured machine answers it. */
export async function talosVersion({ machine }: TalosConnection, deadline: number): Promise<Gathered> {
  const { messages } = await unary(machine, MachineServiceService.version, {}, deadline);
  const tag = messages[0]?.version?.tag;
  return tag === undefined || tag === '' ? {} : { talosVersion: tag.replace(/^v/, '') };
}

export async function machineStatus(connection: TalosConnection, deadline: number): Promise<Gathered> {
  const { stage, status } = MachineStatus.parse(
    await resource(connection, ['runtime', 'MachineStatuses.runtime.talos.dev', 'machine'], deadline),
  );
  const unmetConditions = (status?.unmetConditions ?? []).map((c) => c.name);
  return { stage, ready: status?.ready ?? false, unmetConditions };
}

async function identity(connection: TalosConnection, deadline: number): Promise<Gathered> {
  return Identity.parse(
    await resource(connection, ['cluster', 'Identities.cluster.talos.dev', 'local'], deadline),
  );
}

async function hostname({ machine }: TalosConnection, deadline: number): Promise<Gathered> {
  const { messages } = await unary(machine, MachineServiceService.hostname, {}, deadline);
  const name = messages[0]?.hostname;
  return name === undefined || name === '' ? {} : { hostname: name };
}

async function services({ machine }: TalosConnection, deadline: number): Promise<Gathered> {
  const { messages } = await unary(machine, MachineServiceService.serviceList, {}, deadline);
  const list = messages[0]?.services ?? [];
  return { services: Object.fromEntries(list.map((s) => [s.id, { state: s.state, healthy: health(s) }])) };
}

function health({ health: reported }: ServiceInfo): boolean | 'unknown' {
  return reported === undefined || reported.unknown ? 'unknown' : reported.healthy;
}

/** Named after the Kubernetes node, of which a machine has one at most: none when it does not register. */
async function nodeStatus({ state }: TalosConnection, deadline: number): Promise<Gathered> {
  const request = { namespace: 'k8s', type: 'NodeStatuses.kubernetes.talos.dev', options: undefined };
  const [found] = await collect(state.list(request, new Metadata(), { deadline }));
  const spec = found?.resource?.spec?.yamlSpec;
  return spec === undefined ? {} : NodeStatus.parse(parse(spec));
}

async function etcd({ machine }: TalosConnection, deadline: number): Promise<Gathered> {
  const [list, status, alarms] = await Promise.all([
    unary(machine, MachineServiceService.etcdMemberList, { queryLocal: true }, deadline),
    unary(machine, MachineServiceService.etcdStatus, {}, deadline),
    unary(machine, MachineServiceService.etcdAlarmList, {}, deadline),
  ]);
  const own = status.messages[0]?.memberStatus;
  if (own === undefined) {
    return {};
  }
  const members = list.messages[0]?.members ?? [];
  const raised = alarms.messages
    .flatMap((m) => m.memberAlarms)
    .filter((a) => a.memberId === own.memberId && a.alarm !== EtcdMemberAlarm_AlarmType.NONE)
    .map((a) => alarmName(a.alarm));
  const facts: EtcdFacts = {
    memberId: hex(own.memberId),
    members: members.map((m) => ({ id: hex(m.id), hostname: m.hostname, isLearner: m.isLearner })),
    ...(own.leader === 0n ? {} : { leaderId: hex(own.leader) }),
    isLearner: own.isLearner,
    alarms: [...raised, ...ownErrors(own)],
  };
  return { etcd: facts };
}

/** etcd repeats the alarms of all members here; those count only for the member that raised them. */
const ownErrors = ({ errors }: EtcdMemberStatus): string[] => errors.filter((e) => !/^\s*memberID:/i.test(e));

/** By its number when a newer Talos raises one that the contract does not know. */
const alarmName = (alarm: number): string => EtcdMemberAlarm_AlarmType[alarm] ?? String(alarm);

/** As etcdctl and talosctl print member ids. */
const hex = (id: bigint): string => id.toString(16).padStart(16, '0');

async function resource(
  { state }: TalosConnection,
  [namespace, type, id]: readonly [string, string, string],
  deadline: number,
): Promise<unknown> {
  const { resource: found } = await unary(
    state,
    StateService.get,
    { namespace, type, id, options: undefined },
    deadline,
  );
  return parse(found?.spec?.yamlSpec ?? '');
}
