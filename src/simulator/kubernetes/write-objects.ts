/** Create, update, patch and delete, with the checks that every kind shares. */
import { isJsonObject, type JsonObject, type KubeObject } from './kube-object';
import { readBody, readObject, type KubeCall } from './kube-call';
import { jsonPatch, mergePatch, strategicMergePatch } from './merge-patches';
import type { ResourceRequest } from './parse-request-path';
import { timestamp, type Registry } from './registry';
import { resourceKind } from './resource-kinds';
import { applyConfiguration } from './server-side-apply';
import { invalid, StatusError } from './status-error';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
/** Names of roles and bindings may hold colons: `system:node`. */
const PATH_SEGMENT = /^[^/%]{1,253}$/;

const isDryRun = (call: KubeCall): boolean => call.url.searchParams.has('dryRun');

function named(object: KubeObject, target: ResourceRequest): KubeObject {
  const { generateName } = object.metadata;
  const suffix = Math.random().toString(36).slice(2, 7).padEnd(5, '0');
  const name = object.metadata.name ?? (generateName === undefined ? undefined : generateName + suffix);
  if (name === undefined) {
    throw invalid(target.kind.kind, '', 'metadata.name', 'Required value: name or generateName is required');
  }
  const shape = target.kind.group === 'rbac.authorization.k8s.io' ? PATH_SEGMENT : SUBDOMAIN;
  if (!shape.test(name)) {
    const why = `Invalid value: "${name}": a lowercase RFC 1123 subdomain is needed`;
    throw invalid(target.kind.kind, name, 'metadata.name', why);
  }
  const wanted = target.namespace;
  if (wanted !== undefined && (object.metadata.namespace ?? wanted) !== wanted) {
    throw new StatusError(
      'BadRequest',
      'the namespace of the object does not match the namespace of the request',
    );
  }
  return {
    ...object,
    metadata: { ...object.metadata, name, ...(wanted === undefined ? {} : { namespace: wanted }) },
  };
}

function withDefaults(object: KubeObject): KubeObject {
  switch (object.kind) {
    case 'Namespace':
      return { ...object, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
    case 'Secret': {
      const { stringData, ...rest } = object;
      const plain = Object.entries(isJsonObject(stringData) ? stringData : {});
      const data: JsonObject = isJsonObject(rest['data']) ? { ...rest['data'] } : {};
      for (const [key, value] of plain) {
        data[key] = Buffer.from(String(value)).toString('base64');
      }
      return { ...rest, type: rest['type'] ?? 'Opaque', data };
    }
    default:
      return object;
  }
}

async function createObject(call: KubeCall, target: ResourceRequest, draft: KubeObject, registry: Registry) {
  if (target.kind.namespaced && target.namespace === undefined) {
    throw new StatusError('BadRequest', 'an object of this kind needs a namespace');
  }
  const object = withDefaults(named(draft, target));
  if (target.namespace !== undefined) {
    await registry.get(resourceKind('namespaces'), undefined, target.namespace);
  }
  if (isDryRun(call)) {
    return { ...object, metadata: { ...object.metadata, creationTimestamp: timestamp(registry.now()) } };
  }
  return registry.create(target.kind, object);
}

export async function postObject(
  call: KubeCall,
  target: ResourceRequest,
  registry: Registry,
): Promise<KubeObject> {
  if (target.name !== undefined) {
    throw new StatusError(
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
    );
  }
  return createObject(call, target, await readObject(call.request, target.kind), registry);
}

/** Nobody changes who an object is, and `/status` touches nothing but the status (nor the object the status). */
function guarded(current: KubeObject, next: KubeObject, target: ResourceRequest): KubeObject {
  const { name, namespace, uid, creationTimestamp } = current.metadata;
  if (next.metadata.name !== undefined && next.metadata.name !== name) {
    throw new StatusError('BadRequest', 'the name of the object does not match the name on the URL');
  }
  const identity = { name, uid, creationTimestamp, ...(namespace === undefined ? {} : { namespace }) };
  const metadata = { ...next.metadata, ...identity } as KubeObject['metadata'];
  if (target.subresource === 'status') {
    const { resourceVersion } = next.metadata;
    return {
      ...current,
      metadata: { ...current.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
      status: next['status'],
    };
  }
  return withStatusOf(current, { ...next, metadata });
}

function withStatusOf(current: KubeObject, next: KubeObject): KubeObject {
  const { status: _, ...rest } = next;
  return current['status'] === undefined ? rest : { ...rest, status: current['status'] };
}

async function change(
  call: KubeCall,
  target: ResourceRequest,
  registry: Registry,
  next: (current: KubeObject) => KubeObject,
): Promise<KubeObject> {
  const { kind, namespace, name = '' } = target;
  if (isDryRun(call)) {
    const current = await registry.get(kind, namespace, name);
    return guarded(current, next(current), target);
  }
  return registry.modify(kind, namespace, name, (current) => guarded(current, next(current), target));
}

export async function putObject(
  call: KubeCall,
  target: ResourceRequest,
  registry: Registry,
): Promise<KubeObject> {
  const object = withSecretData(await readObject(call.request, target.kind));
  return change(call, target, registry, () => object);
}

const withSecretData = (object: KubeObject): KubeObject =>
  object.kind === 'Secret' ? withDefaults(object) : object;

function patchOf(type: string, patch: unknown): (current: KubeObject) => KubeObject {
  switch (type) {
    case 'application/merge-patch+json':
      return (current) => mergePatch(current, patch) as KubeObject;
    case 'application/strategic-merge-patch+json':
      return (current) => strategicMergePatch(current, patch) as KubeObject;
    case 'application/json-patch+json':
      return (current) => jsonPatch(current, patch) as KubeObject;
    default:
      throw new StatusError(
        'UnsupportedMediaType',
        `the body of the request was in an unknown format: ${type}`,
      );
  }
}

async function serverSideApply(
  call: KubeCall,
  target: ResourceRequest,
  registry: Registry,
): Promise<KubeObject> {
  const draft = withSecretData(await readObject(call.request, target.kind));
  const applied = named({ ...draft, metadata: { ...draft.metadata, name: target.name ?? '' } }, target);
  const request = {
    manager: call.url.searchParams.get('fieldManager') ?? 'unknown',
    force: call.url.searchParams.get('force') === 'true',
    now: timestamp(registry.now()),
  };
  try {
    return await change(call, target, registry, (current) => applyConfiguration(current, applied, request));
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'NotFound') {
      throw error;
    }
    return createObject(call, target, applyConfiguration(undefined, applied, request), registry);
  }
}

export async function patchObject(
  call: KubeCall,
  target: ResourceRequest,
  registry: Registry,
): Promise<KubeObject> {
  const type = (call.request.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
  if (type === 'application/apply-patch+yaml') {
    return serverSideApply(call, target, registry);
  }
  const patch = await readBody(call.request);
  return change(call, target, registry, patchOf(type, patch));
}

export function deletionStatus(target: ResourceRequest, object: KubeObject): JsonObject {
  const { name, uid } = object.metadata;
  const { group, plural } = target.kind;
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
