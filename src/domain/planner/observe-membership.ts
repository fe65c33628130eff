/** The etcd member list of a cluster out of what its machines report: all reachable members must agree, else it is unknown. */
import type { EtcdMember, Membership } from '../quorum/etcd-membership';
import type { EtcdFacts } from '../machine/machine-facts';
import { livingMachines, type ClusterSnapshot, type MachineView } from './cluster-snapshot';

const fingerprint = (etcd: EtcdFacts): string =>
  etcd.members
    .map((m) => `${m.id}:${m.isLearner}`)
    .sort()
    .join(',');

export function observeMembership(snapshot: ClusterSnapshot): Membership {
  const machines = livingMachines(snapshot).filter((m) => m.role === 'control-plane');
  const reporting = machines.filter((m) => m.facts?.etcd !== undefined);
  const [first] = reporting;
  if (first?.facts?.etcd === undefined) {
    return { known: false, reason: 'no-answer' };
  }
  if (new Set(reporting.map((m) => (m.facts?.etcd ? fingerprint(m.facts.etcd) : ''))).size > 1) {
    return { known: false, reason: 'members-disagree' };
  }
  const times = reporting.map((m) => m.factsAt?.getTime() ?? 0);
  return {
    known: true,
    members: first.facts.etcd.members.map((member) => joinMachine(member, machines)),
    seenAt: new Date(Math.min(...times)),
    alarms: [...new Set(reporting.flatMap((m) => m.facts?.etcd?.alarms ?? []))],
  };
}

/** By member id where the machine answers, else by hostname. */
function joinMachine(
  member: { id: string; hostname: string; isLearner: boolean },
  machines: readonly MachineView[],
): EtcdMember {
  const machine =
    machines.find((m) => m.facts?.etcd?.memberId === member.id) ??
    machines.find((m) => m.facts?.etcd === undefined && m.hostname === member.hostname);
  const etcd = machine?.facts?.etcd;
  const health =
    etcd === undefined
      ? 'unknown'
      : etcd.alarms.length === 0 && etcd.leaderId !== undefined
        ? 'healthy'
        : 'unhealthy';
  const base = { id: member.id, name: member.hostname, isLearner: member.isLearner, health } as const;
  return machine === undefined ? base : { ...base, machineId: machine.id };
}
