/** Deletion, with what Kubernetes' own controllers would clean up after it. */
import { fieldAt, isJsonObject, type KubeObject } from './kube-object';
import { readBody, type KubeCall } from './kube-call';
import { NODE_LEASE_NAMESPACE } from './node-health';
import type { ResourceRequest } from './parse-request-path';
import type { Registry } from './registry';
import { RESOURCE_KINDS, resourceKind, type ResourceKind } from './resource-kinds';
import { conflict, StatusError } from './status-error';
import { selectorOf } from './watch-objects';

/** Namespaces without which no cluster works; Kubernetes refuses to delete them. */
export const SYSTEM_NAMESPACES: readonly string[] = [
  'default',
  'kube-system',
  'kube-public',
  NODE_LEASE_NAMESPACE,
];
const UNDELETABLE = SYSTEM_NAMESPACES.filter((name) => name !== NODE_LEASE_NAMESPACE);

async function removeAll(
  registry: Registry,
  kind: ResourceKind,
  namespace: string | undefined,
  selected: (object: KubeObject) => boolean,
): Promise<void> {
  const { items } = await registry.list(kind, namespace);
  for (const { metadata } of items.filter(selected)) {
    // Somebody else may have deleted it meanwhile, which is as good.
    await registry.remove(kind, metadata.namespace, metadata.name ?? '').catch(ignoreNotFound);
  }
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof StatusError) || error.reason !== 'NotFound') {
    throw error;
  }
}

async function cleanUpAfter(registry: Registry, kind: ResourceKind, name: string): Promise<void> {
  if (kind.plural === 'namespaces') {
    for (const content of RESOURCE_KINDS.filter((k) => k.namespaced)) {
      await removeAll(registry, content, name, () => true);
    }
  }
  if (kind.plural === 'nodes') {
    await removeAll(
      registry,
      resourceKind('pods'),
      undefined,
      (pod) => fieldAt(pod, 'spec.nodeName') === name,
    );
    await removeAll(
      registry,
      resourceKind('leases'),
      NODE_LEASE_NAMESPACE,
      (lease) => lease.metadata.name === name,
    );
  }
}

function refuseUndeletable(kind: ResourceKind, name: string): void {
  if (kind.plural === 'namespaces' && UNDELETABLE.includes(name)) {
    const message = `namespaces "${name}" is forbidden: this namespace may not be deleted`;
    throw new StatusError('Forbidden', message, { name, kind: 'namespaces' });
  }
}

export async function deleteObject(
  call: KubeCall,
  target: ResourceRequest,
  registry: Registry,
): Promise<KubeObject> {
  const { kind, namespace, name = '' } = target;
  const options = await readBody(call.request);
  refuseUndeletable(kind, name);
  const current = await registry.get(kind, namespace, name);
  const uid = isJsonObject(options) ? fieldAt(options, 'preconditions.uid') : undefined;
  if (uid !== undefined && uid !== current.metadata.uid) {
    throw conflict(kind, name);
  }
  if (call.url.searchParams.has('dryRun') || (isJsonObject(options) && options['dryRun'] !== undefined)) {
    return current;
  }
  await registry.remove(kind, namespace, name);
  await cleanUpAfter(registry, kind, name);
  return current;
}

export async function deleteCollection(
  call: KubeCall,
  target: ResourceRequest,
  registry: Registry,
): Promise<void> {
  await readBody(call.request);
  const selected = selectorOf(call);
  const { items } = await registry.list(target.kind, target.namespace);
  for (const { metadata } of items.filter(selected)) {
    refuseUndeletable(target.kind, metadata.name ?? '');
    await registry.remove(target.kind, metadata.namespace, metadata.name ?? '').catch(ignoreNotFound);
    await cleanUpAfter(registry, target.kind, metadata.name ?? '');
  }
}
