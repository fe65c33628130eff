/** Rules between documents: what one says must not contradict another. */
import type { ParsedConfig } from './node-config';
import { isDnsName } from './value-problems';

export function validateDocuments({ v1alpha1, documents }: ParsedConfig, errors: string[]): void {
  const find = (kind: string): Readonly<Record<string, unknown>> | undefined =>
    documents.find((document) => document.kind === kind)?.content;
  const network = v1alpha1?.machine?.network;
  const hostname = find('HostnameConfig');
  if (hostname !== undefined) {
    validateHostname(hostname, errors);
    if (network?.hostname) {
      errors.push('static hostname is already set in v1alpha1 config');
    }
    if (v1alpha1?.machine?.features?.stableHostname !== undefined) {
      errors.push('stable hostname is already set in v1alpha1 config');
    }
  } else if (network?.hostname && !isDnsName(network.hostname)) {
    errors.push(`hostname "${network.hostname}" is not a valid DNS name`);
  }
  const kubespan = find('KubeSpanConfig');
  if (kubespan !== undefined && network?.kubespan !== undefined) {
    errors.push('kubespan is already configured in v1alpha1 config');
  }
  const enabled = kubespan?.enabled === true || network?.kubespan?.enabled === true;
  const mtu = kubespan?.mtu ?? network?.kubespan?.mtu;
  if (typeof mtu === 'number' && mtu < 1280) {
    errors.push('kubespan link MTU must be at least 1280');
  }
  const { discovery, id, secret } = v1alpha1?.cluster ?? {};
  if (enabled && (discovery?.enabled !== true || !id || !secret)) {
    errors.push('KubeSpan requires cluster discovery, .cluster.id and .cluster.secret');
  }
  if (find('ResolverConfig') !== undefined && (network?.nameservers ?? []).length > 0) {
    errors.push('nameservers are already set in v1alpha1 config');
  }
  const time = v1alpha1?.machine?.time;
  if (find('TimeSyncConfig') !== undefined && ((time?.servers ?? []).length > 0 || time?.disabled === true)) {
    errors.push('time configuration is already set in v1alpha1 config');
  }
}

function validateHostname(content: Readonly<Record<string, unknown>>, errors: string[]): void {
  const { hostname, auto } = content;
  if (auto !== undefined && auto !== 'stable' && auto !== 'off') {
    errors.push(`HostnameConfig: invalid auto ${JSON.stringify(auto)}`);
  }
  if (hostname === undefined || hostname === '') {
    if (auto === undefined) {
      errors.push("HostnameConfig: either 'auto' or 'hostname' must be set");
    }
    return;
  }
  if (auto === 'stable') {
    errors.push("HostnameConfig: 'auto' and 'hostname' cannot be set at the same time");
  }
  if (typeof hostname !== 'string' || !isDnsName(hostname.toLowerCase())) {
    errors.push(`HostnameConfig: invalid hostname ${JSON.stringify(hostname)}`);
  }
}
