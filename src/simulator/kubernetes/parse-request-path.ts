/** Which object, or collection of objects, a URL of the Kubernetes API names. */
import { findResourceKind, type ResourceKind } from './resource-kinds';

export interface ResourceRequest {
  readonly kind: ResourceKind;
  /** Absent for cluster-wide kinds, and for a collection across namespaces. */
  readonly namespace: string | undefined;
  /** Absent for a collection. */
  readonly name: string | undefined;
  /** `status` and the like. */
  readonly subresource: string | undefined;
}

/** Undefined when the path names no resource that is served. */
export function parseRequestPath(pathname: string): ResourceRequest | undefined {
  const parts = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const [root, ...rest] = parts;
  if (root !== 'api' && root !== 'apis') {
    return undefined;
  }
  const group = root === 'api' ? '' : (rest.shift() ?? '');
  const version = rest.shift() ?? '';
  // /namespaces/x/pods is pods in x; /namespaces/x and /namespaces/x/status are about x itself.
  const inNamespace =
    rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize';
  const namespace = inNamespace ? rest.splice(0, 2)[1] : undefined;
  const [plural = '', name, subresource, tooMuch] = rest;
  const kind = findResourceKind(group, version, plural);
  if (kind === undefined || tooMuch !== undefined || (namespace !== undefined && !kind.namespaced)) {
    return undefined;
  }
  return { kind, namespace, name, subresource };
}
