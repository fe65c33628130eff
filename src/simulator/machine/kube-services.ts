/** The Kubernetes half of a machine: API server on control planes, kubelet everywhere that registers a node. */
import type { NodeConfig } from '../config/node-config';
import type { RunningEtcdMember } from '../etcd/etcd-engine';
import { StoreOfMembers } from '../etcd/store-of-members';
import type { Kubelet } from '../kubernetes/kubelet';
import type { KubernetesApi } from '../kubernetes/kubernetes-api';
import { clusterTopic, type MachineWorld } from './machine-world';
import type { SimulatedMachine } from './simulated-machine';

export const STATIC_PODS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

export interface NodeState {
  readonly ready: boolean;
  readonly unschedulable: boolean;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
}

export class KubeServices {
  private api: KubernetesApi | undefined;
  private kubelet: Kubelet | undefined;
  private readonly store: StoreOfMembers;

  constructor(
    private readonly world: MachineWorld,
    private readonly machine: SimulatedMachine,
    private readonly config: NodeConfig,
  ) {
    this.store = new StoreOfMembers(async () => this.members());
  }

  get apiRunning(): boolean {
    return this.api !== undefined;
  }

  get kubeletRunning(): boolean {
    return this.kubelet !== undefined;
  }

  async startApi(): Promise<void> {
    const { config, machine } = this;
    const member = machine.etcd?.member;
    if (
      this.api !== undefined ||
      member === undefined ||
      config.kubernetesCa === undefined ||
      machine.isCutOff
    ) {
      return;
    }
    this.api = await this.world.startKubernetesApi({
      host: '127.0.0.1',
      port: machine.record.ports.kubernetes,
      store: member.store,
      clusterName: config.clusterName,
      kubernetesVersion: config.kubernetesVersion,
      caCertPem: config.kubernetesCa.crt,
      caKeyPem: config.kubernetesCa.key,
      certSans: [
        ...new Set([
          config.endpoint.hostname,
          machine.hostname,
          'localhost',
          '127.0.0.1',
          ...config.apiServerSans,
        ]),
      ],
    });
  }

  async stopApi(): Promise<void> {
    const { api } = this;
    this.api = undefined;
    await api?.close();
  }

  /** Waits for a member of the cluster's etcd first: without one a kubelet can only knock in vain. */
  async startKubelet(signal: AbortSignal): Promise<void> {
    const { config, machine } = this;
    if (config.skipNodeRegistration) {
      return;
    }
    for (;;) {
      const seen = this.world.notifier.version(clusterTopic(config));
      if (this.members().length > 0) {
        break;
      }
      await this.world.notifier.wait(clusterTopic(config), seen, signal);
      signal.throwIfAborted();
    }
    this.kubelet = this.world.startKubelet({
      store: this.store,
      staticPods: config.role === 'controlplane',
      node: {
        name: machine.hostname,
        addresses: ['127.0.0.1'],
        role: config.role === 'controlplane' ? 'control-plane' : 'worker',
        labels: config.nodeLabels,
        taints: Object.entries(config.nodeTaints).map(([key, text]) => taint(key, text)),
        kubernetesVersion: config.kubernetesVersion,
        talosVersion: machine.talosVersion,
      },
    });
  }

  /** What the cluster says of this machine's node; undefined while it says nothing. */
  async nodeState(): Promise<NodeState | undefined> {
    if (this.kubelet === undefined) {
      return undefined;
    }
    const item = await this.store.get(`/registry/nodes/${this.machine.hostname}`).catch(() => undefined);
    if (item === undefined) {
      return undefined;
    }
    const node = JSON.parse(item.value) as {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec?: { unschedulable?: boolean };
      status?: { conditions?: { type: string; status: string }[] };
    };
    return {
      ready: node.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false,
      unschedulable: node.spec?.unschedulable === true,
      labels: node.metadata?.labels ?? {},
      annotations: node.metadata?.annotations ?? {},
    };
  }

  async stop(): Promise<void> {
    const { kubelet } = this;
    this.kubelet = undefined;
    await kubelet?.stop();
    await this.stopApi();
  }

  /** Its own member first, as a node prefers its own API server. */
  private members(): RunningEtcdMember[] {
    const machines = [this.machine, ...this.world.controlPlanes(this.config, this.machine)];
    return machines.flatMap((machine) => {
      const service = machine.etcd;
      return service?.member !== undefined && service.state === 'Running' ? [service.member] : [];
    });
  }
}

/** `value:Effect`, or only `Effect`. */
function taint(key: string, text: string): { key: string; value?: string; effect: string } {
  const at = text.lastIndexOf(':');
  return at < 0 ? { key, effect: text } : { key, value: text.slice(0, at), effect: text.slice(at + 1) };
}
