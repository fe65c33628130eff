/** What the API server offers: group versions and their resources, which `kubectl` reads before anything else. */
import type { JsonObject } from './kube-object';
import { groupVersionOf, RESOURCE_KINDS, REVIEW_KINDS, type ResourceKind } from './resource-kinds';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const WITH_STATUS = ['namespaces', 'nodes', 'pods', 'services', 'deployments', 'daemonsets'];

const groupVersions = (): string[] => [...new Set([...RESOURCE_KINDS, ...REVIEW_KINDS].map(groupVersionOf))];

function resourceEntries(kind: ResourceKind): JsonObject[] {
  const review = REVIEW_KINDS.includes(kind);
  const entry = {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: review ? ['create'] : VERBS,
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
  };
  const status = {
    name: `${kind.plural}/status`,
    singularName: '',
    namespaced: kind.namespaced,
    kind: kind.kind,
  };
  return WITH_STATUS.includes(kind.plural)
    ? [entry, { ...status, verbs: ['get', 'patch', 'update'] }]
    : [entry];
}

function apiGroup(groupVersion: string): JsonObject {
  const [name, version] = groupVersion.split('/');
  const preferred = { groupVersion, version };
  return { name, versions: [preferred], preferredVersion: preferred };
}

function resourceList(groupVersion: string): JsonObject {
  const kinds = [...RESOURCE_KINDS, ...REVIEW_KINDS].filter((kind) => groupVersionOf(kind) === groupVersion);
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: kinds.flatMap(resourceEntries),
  };
}

/** Undefined when the path is not one of discovery's. */
export function discoveryDocument(pathname: string): JsonObject | undefined {
  const path = pathname.replace(/\/$/, '');
  const grouped = groupVersions().filter((gv) => gv.includes('/'));
  if (path === '/api') {
    const serverAddressByClientCIDRs: unknown[] = [];
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs };
  }
  if (path === '/apis') {
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: grouped.map(apiGroup) };
  }
  if (path === '/api/v1') {
    return resourceList('v1');
  }
  const named = grouped.find((gv) => path === `/apis/${gv}` || path === `/apis/${gv.split('/')[0] ?? ''}`);
  if (named === undefined) {
    return undefined;
  }
  return path === `/apis/${named}`
    ? resourceList(named)
    : { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(named) };
}

/** `v1.36.0` and what hangs on it, as `kubectl version` shows it. */
export function versionDocument(kubernetesVersion: string): JsonObject {
  const [major, minor] = kubernetesVersion.split('.');
  return {
    major,
    minor,
    gitVersion: `v${kubernetesVersion}`,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
    goVersion: 'simulated',
    compiler: 'simulated',
    platform: 'linux/amd64',
  };
}
