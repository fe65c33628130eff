/** The calls about etcd: control planes only. */
import { status } from '@grpc/grpc-js';
import type { EtcdStatusResponse, MachineServiceServer } from '../../generated/proto/talos/machine/machine';
import type { EtcdService } from './etcd-service';
import { unary } from './serve-call';
import type { SimulatedMachine } from './simulated-machine';
import { failedPrecondition, TalosError, unimplemented } from './talos-error';

type EtcdCalls = Pick<
  MachineServiceServer,
  | 'bootstrap'
  | 'etcdMemberList'
  | 'etcdRemoveMemberById'
  | 'etcdLeaveCluster'
  | 'etcdForfeitLeadership'
  | 'etcdAlarmList'
  | 'etcdStatus'
>;

const done = { messages: [{ metadata: undefined }] };

export function etcdCalls(machine: SimulatedMachine): EtcdCalls {
  return {
    bootstrap: unary(machine, 'Bootstrap', ({ recoverEtcd }) => {
      if (recoverEtcd) {
        throw unimplemented('the simulator has no etcd snapshots');
      }
      if (machine.config?.role === 'controlplane' && machine.etcd === undefined) {
        throw failedPrecondition('bootstrap is not available yet');
      }
      etcdOf(machine, 'bootstrap').bootstrap();
      return done;
    }),
    etcdMemberList: unary(machine, 'EtcdMemberList', async () => {
      const members = await etcdOf(machine, 'member list').requireMember().listMembers();
      return {
        messages: [
          {
            metadata: undefined,
            legacyMembers: [],
            members: members.map((member) => ({
              id: member.id,
              hostname: member.name,
              peerUrls: [...member.peerUrls],
              clientUrls: [...member.clientUrls],
              isLearner: member.isLearner,
            })),
          },
        ],
      };
    }),
    etcdRemoveMemberById: unary(machine, 'EtcdRemoveMemberByID', async ({ memberId }) => {
      await etcdOf(machine, 'remove member').requireMember().remove(memberId);
      return done;
    }),
    etcdLeaveCluster: unary(machine, 'EtcdLeaveCluster', async () => {
      await etcdOf(machine, 'leave cluster').leave();
      await machine.kube?.stopApi();
      return done;
    }),
    etcdForfeitLeadership: unary(machine, 'EtcdForfeitLeadership', async () =>
      forfeit(etcdOf(machine, 'forfeit leadership')),
    ),
    etcdAlarmList: unary(machine, 'EtcdAlarmList', () => {
      etcdOf(machine, 'alarm list').requireMember();
      return { messages: [{ metadata: undefined, memberAlarms: [] }] };
    }),
    etcdStatus: unary(machine, 'EtcdStatus', async () => etcdStatus(etcdOf(machine, 'status'))),
  };
}

function etcdOf(machine: SimulatedMachine, what: string): EtcdService {
  if (machine.etcd === undefined) {
    throw unimplemented(`${what} is only available on control plane nodes`);
  }
  return machine.etcd;
}

async function forfeit(
  service: EtcdService,
): Promise<{ messages: { metadata: undefined; member: string }[] }> {
  const member = service.requireMember();
  const { leader } = await member.status();
  if (leader !== member.memberId) {
    return { messages: [{ metadata: undefined, member: '' }] };
  }
  const other = (await member.listMembers()).find((one) => one.id !== member.memberId && !one.isLearner);
  if (other === undefined) {
    throw new TalosError(status.UNKNOWN, 'failed to forfeit leadership: cluster has only one member');
  }
  await member.moveLeader(other.id);
  return { messages: [{ metadata: undefined, member: other.name }] };
}

async function etcdStatus(service: EtcdService): Promise<EtcdStatusResponse> {
  const report = await service.requireMember().status();
  return {
    messages: [
      {
        metadata: undefined,
        memberStatus: {
          protocolVersion: report.version,
          dbSize: report.dbSize,
          dbSizeInUse: report.dbSize,
          leader: report.leader,
          raftIndex: report.raftIndex,
          raftTerm: report.raftTerm,
          raftAppliedIndex: report.raftIndex,
          errors: [...report.errors],
          isLearner: report.isLearner,
          memberId: report.memberId,
          storageVersion: report.version.replace(/^(\d+\.\d+).*/, '$1.0'),
        },
      },
    ],
  };
}
