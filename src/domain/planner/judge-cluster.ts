/** What is true of a cluster, as conditions. `Unknown` while nothing has been seen; `Ready` sums up the control plane. */
import { isQuorate, headcount, learnersOf } from '../quorum/etcd-membership';
import type { ConditionDraft, ConditionStatus } from '../shared/condition';
import { controlPlaneSet, livingMachines, type ClusterSnapshot, type MachineView } from './cluster-snapshot';
import { observeMembership } from './observe-membership';
import { currentRejection } from './plan-machine-configs';

const draft = (type: string, status: ConditionStatus, reason: string, message: string): ConditionDraft => ({
  type,
  status,
  reason,
  message,
});

export function isMachineReady({ facts }: MachineView): boolean {
  return (
    facts?.contact === 'configured' &&
    facts.stage === 'running' &&
    facts.ready === true &&
    facts.nodeReady !== false
  );
}

export function judgeCluster(snapshot: ClusterSnapshot): ConditionDraft[] {
  const parts = [
    judgeProvisioned(snapshot),
    judgeConfigured(snapshot),
    judgeBootstrapped(snapshot),
    judgeEtcd(snapshot),
    judgeKubernetes(snapshot),
    judgeControlPlane(snapshot),
  ];
  return [judgeReady(parts), ...parts, judgeWorkers(snapshot), judgeAccepted(snapshot)];
}

/** The first part that is not True explains why the whole is not. */
function judgeReady(parts: readonly ConditionDraft[]): ConditionDraft {
  const blocking = parts.find((c) => c.status !== 'True');
  return blocking === undefined
    ? draft('Ready', 'True', 'ControlPlaneReady', 'the control plane is ready')
    : draft('Ready', blocking.status, blocking.reason, blocking.message);
}

function controlPlaneMachines(snapshot: ClusterSnapshot): {
  machines: readonly MachineView[];
  replicas: number;
} {
  const set = controlPlaneSet(snapshot);
  return {
    machines: livingMachines(snapshot).filter((m) => m.setId === set?.id),
    replicas: set?.replicas ?? 0,
  };
}

function judgeProvisioned(snapshot: ClusterSnapshot): ConditionDraft {
  const { machines, replicas } = controlPlaneMachines(snapshot);
  const type = 'MachinesProvisioned';
  const message = `${machines.length} of ${replicas} control-plane machines exist`;
  const isStuck = snapshot.requests.some((r) => r.givenUp && r.deprovisionRequestedAt === undefined);
  return machines.length >= replicas && replicas > 0
    ? draft(type, 'True', 'AllMachinesExist', message)
    : draft(type, 'False', isStuck ? 'ProvisioningFailed' : 'WaitingForMachines', message);
}

function judgeConfigured(snapshot: ClusterSnapshot): ConditionDraft {
  const { machines, replicas } = controlPlaneMachines(snapshot);
  const configured = machines.filter((m) => m.configAppliedAt !== undefined).length;
  const message = `${configured} of ${replicas} control-plane machines have their config`;
  return configured >= replicas && replicas > 0
    ? draft('ConfigApplied', 'True', 'AllConfigured', message)
    : draft('ConfigApplied', 'False', 'WaitingForConfig', message);
}

/** Apart from Ready: a machine that refuses a changed config goes on with its last good one. */
function judgeAccepted(snapshot: ClusterSnapshot): ConditionDraft {
  const refusing = livingMachines(snapshot).flatMap((m) => {
    const rejection = currentRejection(m);
    return rejection === undefined ? [] : [`${m.hostname} refuses its config: ${rejection.message}`];
  });
  return refusing.length === 0
    ? draft('ConfigAccepted', 'True', 'NoneRefused', 'no machine refuses its config')
    : draft('ConfigAccepted', 'False', 'ConfigRejected', refusing.join('; '));
}

function judgeBootstrapped(snapshot: ClusterSnapshot): ConditionDraft {
  const { cluster } = snapshot;
  if (cluster.bootstrappedAt !== undefined || observeMembership(snapshot).known) {
    return draft('Bootstrapped', 'True', 'Bootstrapped', 'etcd was bootstrapped once');
  }
  return cluster.bootstrapMachineId === undefined
    ? draft('Bootstrapped', 'False', 'WaitingForFirstMachine', 'no machine is ready to start etcd yet')
    : draft('Bootstrapped', 'False', 'Bootstrapping', 'etcd is being started on its first machine');
}

function judgeEtcd(snapshot: ClusterSnapshot): ConditionDraft {
  const type = 'EtcdHealthy';
  const membership = observeMembership(snapshot);
  if (!membership.known) {
    return snapshot.cluster.bootstrappedAt === undefined
      ? draft(type, 'False', 'NotBootstrapped', 'etcd has not been started')
      : draft(
          type,
          'Unknown',
          'MembershipUnknown',
          membership.reason === 'no-answer'
            ? 'no etcd member answers'
            : 'the members do not agree on the member list',
        );
  }
  const { replicas } = controlPlaneMachines(snapshot);
  const { n, healthy, quorum } = headcount(membership.members);
  const learners = learnersOf(membership.members).length;
  const message = `${healthy} of ${n} voters healthy, quorum ${quorum}${learners > 0 ? `, ${learners} learner` : ''}, ${replicas} wanted`;
  if (!isQuorate(membership.members)) {
    return draft(type, 'False', 'QuorumLost', message);
  }
  if (n < replicas) {
    return draft(type, 'False', 'WaitingForMembers', message);
  }
  return healthy === n
    ? draft(type, 'True', 'AllMembersHealthy', message)
    : draft(type, 'False', 'MembersUnhealthy', message);
}

function judgeKubernetes(snapshot: ClusterSnapshot): ConditionDraft {
  const { machines, replicas } = controlPlaneMachines(snapshot);
  const answering = machines.filter((m) => m.facts?.kubernetesReady === true).length;
  const message = `the Kubernetes API answers on ${answering} of ${replicas} machines`;
  return answering >= replicas && replicas > 0
    ? draft('APIServerAvailable', 'True', 'Answers', message)
    : draft('APIServerAvailable', 'False', answering > 0 ? 'PartlyAvailable' : 'NotAvailable', message);
}

function judgeControlPlane(snapshot: ClusterSnapshot): ConditionDraft {
  const { machines, replicas } = controlPlaneMachines(snapshot);
  const ready = machines.filter(isMachineReady).length;
  const message = `${ready} of ${replicas} control-plane machines are ready`;
  return ready >= replicas && replicas > 0
    ? draft('ControlPlaneReady', 'True', 'AllMachinesReady', message)
    : draft('ControlPlaneReady', 'False', 'WaitingForMachines', message);
}

/** All workers that can be had: a named machine that nobody has seen, or that is another cluster's, is not waited for. */
export function areWorkersComplete(snapshot: ClusterSnapshot): boolean {
  const workerSets = new Set(snapshot.sets.filter((set) => set.role === 'worker').map((set) => set.id));
  const wanted = snapshot.sets.reduce((sum, set) => sum + (workerSets.has(set.id) ? set.replicas : 0), 0);
  const unavailable = snapshot.wanted.filter(
    (w) => workerSets.has(w.setId) && (w.availability === 'absent' || w.availability === 'taken'),
  ).length;
  const ready = livingMachines(snapshot).filter((m) => workerSets.has(m.setId) && isMachineReady(m)).length;
  return ready >= wanted - unavailable;
}

function judgeWorkers(snapshot: ClusterSnapshot): ConditionDraft {
  const sets = snapshot.sets.filter((set) => set.role === 'worker');
  const wanted = sets.reduce((sum, set) => sum + set.replicas, 0);
  const ready = livingMachines(snapshot).filter((m) => m.role === 'worker' && isMachineReady(m)).length;
  return ready >= wanted
    ? draft(
        'WorkersReady',
        'True',
        wanted === 0 ? 'NoWorkers' : 'AllWorkersReady',
        `${ready} of ${wanted} workers are ready`,
      )
    : draft('WorkersReady', 'False', 'WaitingForWorkers', `${ready} of ${wanted} workers are ready`);
}
