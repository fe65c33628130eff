/**
 * etcd is bootstrapped on exactly one machine, once. The machine is pinned in the database before the call is sent, so
 * that whatever dies, no other machine is ever asked. A pin moves only when no control-plane machine shows an etcd member
 * and its machine is destroyed, or is gone and was never called: one that comes back could bring a second etcd.
 */
import { NOTHING, type Contribution } from './cluster-plan';
import { controlPlaneSet, livingMachines, type ClusterSnapshot, type MachineView } from './cluster-snapshot';
import { step } from './cluster-step';

/**
 * etcd starts some time after Talos took the call. A machine that still waits after this lost it (it rebooted in between)
 * and is asked again; Talos refuses a second start where there is data.
 */
export const BOOTSTRAP_SETTLE_MS = 30_000;

/** Machine booted with our config and its etcd waits to be bootstrapped or to join. */
export function awaitsBootstrap({ facts }: MachineView): boolean {
  return (
    facts?.contact === 'configured' && facts.etcd === undefined && facts.services?.['etcd'] !== undefined
  );
}

export function planBootstrap(snapshot: ClusterSnapshot): Contribution {
  const { cluster } = snapshot;
  const set = controlPlaneSet(snapshot);
  if (cluster.bootstrappedAt !== undefined || set === undefined) {
    return NOTHING;
  }
  const machines = livingMachines(snapshot).filter((m) => m.setId === set.id);
  const member = machines.find((m) => m.facts?.etcd !== undefined);
  if (member !== undefined) {
    return {
      steps: [step('RecordBootstrapped', member.hostname, 'its etcd has a member list', {})],
      waiting: [],
    };
  }
  const pinned = snapshot.machines.find((m) => m.id === cluster.bootstrapMachineId);
  if (pinned?.gone === true && cluster.bootstrapSentAt !== undefined) {
    const message =
      'etcd may have been started on it, and its provider says that it is gone; no other machine is started until it is destroyed for certain';
    return { steps: [], waiting: [{ on: pinned.hostname, message }] };
  }
  if (cluster.bootstrapMachineId === undefined || pinned === undefined || pinned.gone) {
    return pin(machines, cluster.bootstrapMachineId ?? null);
  }
  const isStarting =
    cluster.bootstrapSentAt !== undefined &&
    snapshot.now.getTime() - cluster.bootstrapSentAt.getTime() < BOOTSTRAP_SETTLE_MS;
  return awaitsBootstrap(pinned) && !isStarting
    ? {
        steps: [
          step('Bootstrap', pinned.hostname, 'it is the pinned machine and its etcd waits', {
            machineId: pinned.id,
          }),
        ],
        waiting: [],
      }
    : {
        steps: [],
        waiting: [{ on: pinned.hostname, message: 'etcd starts on it as soon as it has booted' }],
      };
}

/** The choice is arbitrary; by hostname it is at least the same for everybody who looks. */
function pin(machines: readonly MachineView[], insteadOf: string | null): Contribution {
  const [first] = machines.filter(awaitsBootstrap).sort((a, b) => (a.hostname < b.hostname ? -1 : 1));
  if (first === undefined) {
    return NOTHING;
  }
  const because =
    insteadOf === null
      ? 'it is the first control-plane machine that waits for etcd'
      : 'the machine pinned before is gone and never had an etcd member';
  return {
    steps: [step('PinBootstrap', first.hostname, because, { machineId: first.id, insteadOf })],
    waiting: [],
  };
}
