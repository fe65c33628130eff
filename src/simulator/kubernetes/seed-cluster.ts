/** What a fresh cluster contains before anybody asks: namespaces and the services that clients look for. */
import { setTimeout as delay } from 'node:timers/promises';
import { SYSTEM_NAMESPACES } from './delete-objects';
import type { KubeObject } from './kube-object';
import type { Registry } from './registry';
import { resourceKind } from './resource-kinds';

const RETRY_MS = 500;

const namespace = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
  spec: { finalizers: ['kubernetes'] },
  status: { phase: 'Active' },
});

const KUBERNETES_SERVICE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'kubernetes',
    namespace: 'default',
    labels: { component: 'apiserver', provider: 'kubernetes' },
  },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.96.0.1',
    clusterIPs: ['10.96.0.1'],
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
  },
  status: { loadBalancer: {} },
};

const DNS_SERVICE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'kube-dns',
    namespace: 'kube-system',
    labels: {
      'k8s-app': 'kube-dns',
      'kubernetes.io/cluster-service': 'true',
      'kubernetes.io/name': 'CoreDNS',
    },
  },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.96.0.10',
    clusterIPs: ['10.96.0.10'],
    selector: { 'k8s-app': 'kube-dns' },
    ports: [
      { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 },
      { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 53 },
      { name: 'metrics', port: 9153, protocol: 'TCP', targetPort: 9153 },
    ],
  },
  status: { loadBalancer: {} },
};

async function seedOnce(registry: Registry): Promise<void> {
  for (const name of SYSTEM_NAMESPACES) {
    await registry.createIfAbsent(resourceKind('namespaces'), namespace(name));
  }
  await registry.createIfAbsent(resourceKind('services'), KUBERNETES_SERVICE);
  await registry.createIfAbsent(resourceKind('services'), DNS_SERVICE);
}

/** Tries until etcd has a quorum; ends early when the signal says so. */
export async function seedCluster(registry: Registry, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await seedOnce(registry);
      return;
    } catch {
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
