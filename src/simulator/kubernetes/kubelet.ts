/** The kubelet of one simulated machine: registers its Node and pods, and says by its lease that it lives. */
import type { EtcdStore } from '../etcd/etcd-store';
import type { KubeObject } from './kube-object';
import { isJsonObject } from './kube-object';
import { leaseObject, nodeObject, type SimulatedNode } from './node-objects';
import { podObjects } from './pod-objects';
import { Registry, timestamp } from './registry';
import { resourceKind } from './resource-kinds';
import { StatusError } from './status-error';

export interface KubeletOptions {
  readonly store: EtcdStore;
  readonly node: SimulatedNode;
  /** Whether the machine runs API server, controller manager and scheduler. */
  readonly staticPods: boolean;
}

export interface Kubelet {
  /** The Node and the pods stay, as after the death of a real machine; the lease runs out. */
  stop(): Promise<void>;
}

const HEARTBEAT_MS = 10_000;
/** Until etcd takes the first registration. */
const RETRY_MS = 500;

const isNotFound = (error: unknown): boolean => error instanceof StatusError && error.reason === 'NotFound';

class SimulatedKubelet implements Kubelet {
  private readonly registry: Registry;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  private registered = false;

  constructor(private readonly options: KubeletOptions) {
    this.registry = new Registry(options.store);
  }

  start(): void {
    this.running = this.beat().catch(() => {
      // No quorum: whoever looks sees the lease grow old, and the next beat tries again.
    });
    void this.running.then(() => {
      if (!this.stopped) {
        this.timer = setTimeout(() => this.start(), this.registered ? HEARTBEAT_MS : RETRY_MS);
      }
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async beat(): Promise<void> {
    await this.renewLease();
    if (!this.registered) {
      await this.registerNode();
      await this.registerPods();
      await this.recordEvent();
      this.registered = true;
    }
  }

  /** A Node that somebody deletes stays deleted until the kubelet starts again; so does its lease. */
  private async renewLease(): Promise<void> {
    const kind = resourceKind('leases');
    const lease = leaseObject(this.options.node, this.registry.now());
    const { namespace, name = '' } = lease.metadata;
    try {
      await this.registry.modify(kind, namespace, name, (current) => ({ ...current, spec: lease['spec'] }));
    } catch (error) {
      if (!isNotFound(error)) {
        throw error;
      }
      if (!this.registered) {
        await this.registry.create(kind, lease);
      }
    }
  }

  private async registerNode(): Promise<void> {
    const kind = resourceKind('nodes');
    const node = nodeObject(this.options.node, this.registry.now());
    if (await this.registry.createIfAbsent(kind, node)) {
      return;
    }
    await this.registry.modify(kind, undefined, this.options.node.name, (current) => rejoined(current, node));
  }

  private async registerPods(): Promise<void> {
    const kind = resourceKind('pods');
    const { node, staticPods } = this.options;
    for (const pod of podObjects(node, staticPods, this.registry.now())) {
      if (!(await this.registry.createIfAbsent(kind, pod))) {
        const { namespace, name = '' } = pod.metadata;
        await this.registry.modify(kind, namespace, name, (current) => restarted(current, pod));
      }
    }
  }

  private async recordEvent(): Promise<void> {
    const { node } = this.options;
    const kind = resourceKind('nodes');
    const { metadata } = await this.registry.get(kind, undefined, node.name);
    const now = timestamp(this.registry.now());
    await this.registry.createIfAbsent(resourceKind('events'), {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${node.name}.${this.registry.now().toString(16)}`, namespace: 'default' },
      involvedObject: { apiVersion: 'v1', kind: 'Node', name: node.name, uid: metadata.uid },
      type: 'Normal',
      reason: 'Starting',
      message: 'Starting kubelet.',
      source: { component: 'kubelet', host: node.name },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    });
  }
}

/** Taken over from before: what people did to the Node (labels, cordon). Told anew: what the kubelet knows. */
function rejoined(current: KubeObject, fresh: KubeObject): KubeObject {
  const labels = { ...current.metadata.labels, ...fresh.metadata.labels };
  return { ...current, metadata: { ...current.metadata, labels }, status: fresh['status'] };
}

/** Pods of other nodes keep what they have; that is the case of those which run once per cluster. */
function restarted(current: KubeObject, fresh: KubeObject): KubeObject {
  const [old, spec] = [current['spec'], fresh['spec']];
  const elsewhere = isJsonObject(old) && isJsonObject(spec) && old['nodeName'] !== spec['nodeName'];
  return elsewhere ? current : { ...current, spec, status: fresh['status'] };
}

export function startKubelet(options: KubeletOptions): Kubelet {
  const kubelet = new SimulatedKubelet(options);
  kubelet.start();
  return kubelet;
}
