/** The kinds that the simulated API server serves. All are stored alike; only a few have columns of their own. */

export interface ResourceKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  /** `all` puts the kind into `kubectl get all`. */
  readonly categories: readonly string[];
}

interface Draft {
  readonly short?: readonly string[];
  readonly all?: true;
  readonly cluster?: true;
}

function kind(groupVersion: string, name: string, plural: string, draft: Draft = {}): ResourceKind {
  const [version = '', group = ''] = groupVersion.split('/').reverse();
  return {
    group,
    version,
    kind: name,
    plural,
    singular: name.toLowerCase(),
    shortNames: draft.short ?? [],
    namespaced: draft.cluster !== true,
    categories: draft.all === true ? ['all'] : [],
  };
}

export const RESOURCE_KINDS: readonly ResourceKind[] = [
  kind('v1', 'ConfigMap', 'configmaps', { short: ['cm'] }),
  kind('v1', 'Endpoints', 'endpoints', { short: ['ep'] }),
  kind('v1', 'Event', 'events', { short: ['ev'] }),
  kind('v1', 'Namespace', 'namespaces', { short: ['ns'], cluster: true }),
  kind('v1', 'Node', 'nodes', { short: ['no'], cluster: true }),
  kind('v1', 'Pod', 'pods', { short: ['po'], all: true }),
  kind('v1', 'Secret', 'secrets'),
  kind('v1', 'ServiceAccount', 'serviceaccounts', { short: ['sa'] }),
  kind('v1', 'Service', 'services', { short: ['svc'], all: true }),
  kind('apps/v1', 'DaemonSet', 'daemonsets', { short: ['ds'], all: true }),
  kind('apps/v1', 'Deployment', 'deployments', { short: ['deploy'], all: true }),
  kind('apps/v1', 'ReplicaSet', 'replicasets', { short: ['rs'], all: true }),
  kind('apps/v1', 'StatefulSet', 'statefulsets', { short: ['sts'], all: true }),
  kind('coordination.k8s.io/v1', 'Lease', 'leases'),
  kind('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', { cluster: true }),
  kind('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'clusterrolebindings', { cluster: true }),
  kind('rbac.authorization.k8s.io/v1', 'Role', 'roles'),
  kind('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings'),
];

/** Questions about oneself: answered, never stored. */
export const REVIEW_KINDS: readonly ResourceKind[] = [
  kind('authentication.k8s.io/v1', 'SelfSubjectReview', 'selfsubjectreviews', { cluster: true }),
  kind('authorization.k8s.io/v1', 'SelfSubjectAccessReview', 'selfsubjectaccessreviews', { cluster: true }),
];

export function groupVersionOf(kind: ResourceKind): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

export function findResourceKind(group: string, version: string, plural: string): ResourceKind | undefined {
  return [...RESOURCE_KINDS, ...REVIEW_KINDS].find(
    (k) => k.group === group && k.version === version && k.plural === plural,
  );
}

/** For the simulator's own writes, where the kind is known to exist. */
export function resourceKind(plural: string): ResourceKind {
  const found = RESOURCE_KINDS.find((k) => k.plural === plural);
  if (found === undefined) {
    throw new Error(`no such resource: ${plural}`);
  }
  return found;
}
