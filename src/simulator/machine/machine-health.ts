/** Which services a machine runs, how they are, and what keeps it from being ready. */
import type { SimulatedMachine } from './simulated-machine';

export interface ServiceReport {
  readonly id: string;
  readonly state: 'Running' | 'Preparing' | 'Waiting' | 'Finished' | 'Failed';
  readonly healthy: boolean;
  readonly message: string;
}

export interface UnmetCondition {
  readonly name: string;
  readonly reason: string;
}

const ALWAYS = ['apid', 'containerd', 'machined', 'udevd'];

const running = (id: string): ServiceReport => ({
  id,
  state: 'Running',
  healthy: true,
  message: 'simulated',
});

export async function reportServices(machine: SimulatedMachine): Promise<ServiceReport[]> {
  const services = ALWAYS.map(running);
  if (machine.config === undefined) {
    return services;
  }
  services.push(running('cri'), running('kubelet'));
  if (machine.etcd !== undefined) {
    services.push(running('trustd'), await reportEtcd(machine));
  }
  return services.sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function reportEtcd({ etcd }: SimulatedMachine): Promise<ServiceReport> {
  const state = etcd?.state ?? 'Waiting';
  const down = (message: string): ServiceReport => ({ id: 'etcd', state, healthy: false, message });
  if (etcd?.member === undefined) {
    return down(state === 'Preparing' ? 'Waiting for etcd to be bootstrapped or joined' : 'not running');
  }
  try {
    const { leader, isLearner, errors } = await etcd.member.status();
    if (leader === 0n) {
      return down(errors[0] ?? 'etcdserver: no leader');
    }
    return isLearner ? down('etcd member is a learner') : { ...running('etcd'), state };
  } catch (error) {
    return down((error as Error).message);
  }
}

/** Judged in the stages booting and running only; elsewhere Talos calls itself ready. */
export async function unmetConditions(machine: SimulatedMachine): Promise<UnmetCondition[]> {
  if (machine.stage !== 'booting' && machine.stage !== 'running') {
    return [];
  }
  const unmet: UnmetCondition[] = [];
  const ill = (await reportServices(machine))
    .filter((service) => !service.healthy)
    .map((service) => service.id);
  if (ill.length > 0) {
    unmet.push({ name: 'services', reason: `${ill.join(', ')} not healthy` });
  }
  const { config, kube } = machine;
  if (config?.role === 'controlplane' && kube?.apiRunning !== true) {
    unmet.push({ name: 'staticPods', reason: 'kube-system/kube-apiserver not running' });
  }
  if (config !== undefined && !config.skipNodeRegistration) {
    const node = await kube?.nodeState();
    if (node?.ready !== true) {
      unmet.push({ name: 'nodeReady', reason: `node "${machine.hostname}" status is not available yet` });
    }
  }
  return unmet;
}
