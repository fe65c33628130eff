/**
 * The platform's own patches of a managed cluster: KubeSpan between hosted control plane and the tenant's workers, and
 * metrics that the platform can reach. They win over everything a tenant writes. Source: Talos configuration reference.
 */
import type { WeightedPatch } from '../machine-config/machine-config-input';
import { minorsUp } from '../version/parse-version';

export interface ManagedPatchesInput {
  readonly role: 'control-plane' | 'worker';
  /** Without v. */
  readonly talosVersion: string;
}

export const MANAGED_PATCH_WEIGHT = 900;
export const ETCD_METRICS_PORT = 2381;

/** The first Talos minor in which KubeSpan is a document of its own. */
const KUBESPAN_DOCUMENT_SINCE = '1.13';

export function managedPatches({ role, talosVersion }: ManagedPatchesInput): WeightedPatch[] {
  const kubeSpan = patch('managed-kubespan', kubeSpanContent(talosVersion));
  return role === 'worker' ? [kubeSpan] : [kubeSpan, patch('managed-metrics', METRICS)];
}

const patch = (name: string, content: string): WeightedPatch => ({
  name,
  weight: MANAGED_PATCH_WEIGHT,
  origin: 'managed',
  content,
});

function kubeSpanContent(talosVersion: string): string {
  const since = minorsUp(KUBESPAN_DOCUMENT_SINCE, talosVersion);
  return since === undefined || since >= 0 ? KUBESPAN_DOCUMENT : KUBESPAN_FIELD;
}

const KUBESPAN_DOCUMENT = `apiVersion: v1alpha1
kind: KubeSpanConfig
enabled: true
`;

const KUBESPAN_FIELD = `machine:
  network:
    kubespan:
      enabled: true
`;

/** etcd serves plain http there; the other components authenticate their readers. */
const METRICS = `cluster:
  etcd:
    extraArgs:
      listen-metrics-urls: http://0.0.0.0:${ETCD_METRICS_PORT}
  controllerManager:
    extraArgs:
      bind-address: 0.0.0.0
  scheduler:
    extraArgs:
      bind-address: 0.0.0.0
  proxy:
    extraArgs:
      metrics-bind-address: 0.0.0.0:10249
`;
