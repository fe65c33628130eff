/** The pods of kube-system that a Talos node runs: mirror pods of its static pods, and those of the system add-ons. */
import { createHash } from 'node:crypto';
import type { JsonObject, KubeObject } from './kube-object';
import type { SimulatedNode } from './node-objects';
import { timestamp } from './registry';

interface PodDraft {
  readonly name: string;
  readonly app: string;
  readonly container: string;
  readonly image: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Absent for pods on the host's network. */
  readonly podIp?: string;
}

const SYSTEM_NAMESPACE = 'kube-system';
const STATIC_PODS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
/** Five letters that look like Kubernetes' own suffixes and stay the same over restarts. */
const suffix = (text: string): string =>
  [...hash(text).subarray(0, 5)].map((b) => 'bcdfghjklmnpqrstvwxz24568'[b % 25]).join('');

function podStatus(draft: PodDraft, node: SimulatedNode, at: string): JsonObject {
  const hostIP = node.addresses[0] ?? '';
  const podIP = draft.podIp ?? hostIP;
  const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  return {
    phase: 'Running',
    conditions: types.map((type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: at })),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: at,
    qosClass: 'Burstable',
    containerStatuses: [
      {
        name: draft.container,
        image: draft.image,
        imageID: draft.image,
        containerID: `containerd://${hash(node.name + draft.name).toString('hex')}`,
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: at } },
        lastState: {},
      },
    ],
  };
}

function pod(draft: PodDraft, node: SimulatedNode, now: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: draft.name,
      namespace: SYSTEM_NAMESPACE,
      labels: { 'k8s-app': draft.app, ...draft.labels },
      ...(draft.annotations === undefined ? {} : { annotations: { ...draft.annotations } }),
    },
    spec: {
      nodeName: node.name,
      hostNetwork: draft.podIp === undefined,
      priorityClassName: 'system-node-critical',
      restartPolicy: 'Always',
      containers: [{ name: draft.container, image: draft.image, resources: {} }],
      tolerations: [{ operator: 'Exists' }],
    },
    status: podStatus(draft, node, timestamp(now)),
  };
}

function staticPod(component: (typeof STATIC_PODS)[number], node: SimulatedNode): PodDraft {
  return {
    name: `${component}-${node.name}`,
    app: component,
    container: component,
    image: `registry.k8s.io/${component}:v${node.kubernetesVersion}`,
    labels: { component, tier: 'control-plane' },
    annotations: {
      'kubernetes.io/config.mirror': hash(component + node.kubernetesVersion)
        .toString('hex')
        .slice(0, 32),
      'kubernetes.io/config.source': 'file',
    },
  };
}

function addOns(node: SimulatedNode): PodDraft[] {
  const image = `registry.k8s.io/kube-proxy:v${node.kubernetesVersion}`;
  return [
    { name: `kube-proxy-${suffix(`proxy${node.name}`)}`, app: 'kube-proxy', container: 'kube-proxy', image },
    {
      name: `kube-flannel-${suffix(`flannel${node.name}`)}`,
      app: 'kube-flannel',
      container: 'kube-flannel',
      image: 'ghcr.io/siderolabs/flannel:v0.27.4',
      labels: { tier: 'node' },
    },
  ];
}

/** Two for the whole cluster: whichever control plane comes first runs them. */
function coreDns(): PodDraft[] {
  return [1, 2].map((replica) => ({
    name: `coredns-7d9f8c5b6d-${suffix(`coredns${replica}`)}`,
    app: 'kube-dns',
    container: 'coredns',
    image: 'registry.k8s.io/coredns/coredns:v1.13.1',
    podIp: `10.244.0.${replica + 1}`,
  }));
}

/** Every pod of the node, in the form in which it is first registered. */
export function podObjects(node: SimulatedNode, staticPods: boolean, now: number): KubeObject[] {
  const ofControlPlane = node.role === 'control-plane' ? coreDns() : [];
  const fromFiles = staticPods ? STATIC_PODS.map((component) => staticPod(component, node)) : [];
  return [...fromFiles, ...addOns(node), ...ofControlPlane].map((draft) => pod(draft, node, now));
}
