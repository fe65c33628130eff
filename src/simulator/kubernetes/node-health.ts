/** Whether a Node is Ready, by the age of its lease: what the node lifecycle controller of Kubernetes decides. */
import { isJsonObject, listAt, textAt, type JsonObject, type KubeObject } from './kube-object';

export const NODE_LEASE_NAMESPACE = 'kube-node-lease';
export const LEASE_STALE_AFTER_MS = 40_000;

interface Judgement {
  readonly status: 'True' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

const HEARD: Judgement = {
  status: 'True',
  reason: 'KubeletReady',
  message: 'kubelet is posting ready status',
};
const SILENT: Judgement = {
  status: 'Unknown',
  reason: 'NodeStatusUnknown',
  message: 'Kubelet stopped posting node status.',
};

function judged(condition: JsonObject, verdict: Judgement, silentSince: string): JsonObject {
  const lastTransitionTime =
    verdict.status === condition['status'] ? condition['lastTransitionTime'] : silentSince;
  return { ...condition, ...verdict, lastTransitionTime };
}

/** A Node without a lease is left as it is: nobody has promised to renew one. */
export function withLeaseHealth(node: KubeObject, lease: KubeObject | undefined, now: number): KubeObject {
  const renewed = Date.parse(textAt(lease, 'spec.renewTime') ?? '');
  const status = node['status'];
  if (Number.isNaN(renewed) || !isJsonObject(status)) {
    return node;
  }
  const silentAt = renewed + LEASE_STALE_AFTER_MS;
  const stale = now > silentAt;
  const turned = new Date(stale ? silentAt : renewed).toISOString().replace(/\.\d+Z$/, 'Z');
  const conditions = listAt(node, 'status.conditions').map((condition) => {
    if (stale) {
      return judged(condition, SILENT, turned);
    }
    const ready = condition['type'] === 'Ready' && condition['status'] === 'Unknown';
    return ready ? judged(condition, HEARD, turned) : condition;
  });
  return { ...node, status: { ...status, conditions } };
}

export function isReady(object: KubeObject): boolean {
  return listAt(object, 'status.conditions').some((c) => c['type'] === 'Ready' && c['status'] === 'True');
}
