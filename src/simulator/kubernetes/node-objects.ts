/** The Node and the Lease that a kubelet on Talos registers. */
import type { JsonObject, KubeObject } from './kube-object';
import { NODE_LEASE_NAMESPACE } from './node-health';
import { timestamp } from './registry';

export interface SimulatedNode {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly role: 'control-plane' | 'worker';
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  /** Without a leading v, like the next one. */
  readonly kubernetesVersion: string;
  readonly talosVersion: string;
}

export const CONTROL_PLANE_ROLE = 'node-role.kubernetes.io/control-plane';
const LEASE_SECONDS = 40;

function condition(type: string, status: string, reason: string, message: string, at: string): JsonObject {
  return { type, status, lastHeartbeatTime: at, lastTransitionTime: at, reason, message };
}

function conditions(at: string): JsonObject[] {
  return [
    condition(
      'MemoryPressure',
      'False',
      'KubeletHasSufficientMemory',
      'kubelet has sufficient memory available',
      at,
    ),
    condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure', at),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available', at),
    condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status', at),
  ];
}

function nodeInfo(node: SimulatedNode): JsonObject {
  return {
    architecture: 'amd64',
    operatingSystem: 'linux',
    osImage: `Talos (v${node.talosVersion}) (simulated)`,
    kernelVersion: '6.12.0-talos',
    containerRuntimeVersion: 'containerd://2.1.0',
    kubeletVersion: `v${node.kubernetesVersion}`,
    kubeProxyVersion: '',
    bootID: '',
    machineID: '',
    systemUUID: '',
  };
}

function nodeStatus(node: SimulatedNode, at: string): JsonObject {
  const capacity = { cpu: '2', memory: '4Gi', pods: '110', 'ephemeral-storage': '10Gi' };
  const addresses = node.addresses.map((address) => ({ type: 'InternalIP', address }));
  return {
    capacity,
    allocatable: capacity,
    conditions: conditions(at),
    addresses: [...addresses, { type: 'Hostname', address: node.name }],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: nodeInfo(node),
  };
}

export function nodeObject(node: SimulatedNode, now: number): KubeObject {
  const controlPlane = node.role === 'control-plane';
  const roleTaints = controlPlane ? [{ key: CONTROL_PLANE_ROLE, effect: 'NoSchedule' }] : [];
  const others = (node.taints ?? []).filter((taint) => taint.key !== CONTROL_PLANE_ROLE);
  const taints = [...roleTaints, ...others];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: node.name,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': node.name,
        'kubernetes.io/os': 'linux',
        ...(controlPlane ? { [CONTROL_PLANE_ROLE]: '' } : {}),
        ...node.labels,
      },
    },
    spec: taints.length === 0 ? {} : { taints },
    status: nodeStatus(node, timestamp(now)),
  };
}

export function leaseObject(node: SimulatedNode, now: number): KubeObject {
  const renewTime = new Date(now).toISOString().replace('Z', '000Z');
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: node.name, namespace: NODE_LEASE_NAMESPACE },
    spec: { holderIdentity: node.name, leaseDurationSeconds: LEASE_SECONDS, renewTime },
  };
}
