/** From an HTTP request about objects to the verb of Kubernetes that it means, and its answer. */
import { authorize, isAllowed, type Verb } from './authorize';
import { deleteCollection, deleteObject } from './delete-objects';
import { readObject, sendJson, sendObject, tableOptions, type KubeCall } from './kube-call';
import { textAt, type JsonObject } from './kube-object';
import type { ResourceRequest } from './parse-request-path';
import type { Registry } from './registry';
import { renderTable, wantsTable } from './render-table';
import { groupVersionOf, REVIEW_KINDS } from './resource-kinds';
import { StatusError } from './status-error';
import { selectorOf, watchObjects } from './watch-objects';
import { deletionStatus, patchObject, postObject, putObject } from './write-objects';

function verbOf(call: KubeCall, target: ResourceRequest): Verb {
  const single = target.name !== undefined;
  switch (call.request.method) {
    case 'GET':
      if (['true', '1'].includes(call.url.searchParams.get('watch') ?? '')) {
        return 'watch';
      }
      return single ? 'get' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return single ? 'delete' : 'deletecollection';
    default:
      throw new StatusError(
        'MethodNotAllowed',
        'the server does not allow this method on the requested resource',
      );
  }
}

async function review(call: KubeCall, target: ResourceRequest): Promise<void> {
  const asked = await readObject(call.request, target.kind);
  const userInfo = { username: call.user.name, groups: call.user.groups };
  const question = {
    verb: textAt(asked, 'spec.resourceAttributes.verb') ?? 'get',
    group: textAt(asked, 'spec.resourceAttributes.group') ?? '',
    resource: textAt(asked, 'spec.resourceAttributes.resource') ?? '',
  };
  const status: JsonObject =
    target.kind.kind === 'SelfSubjectReview' ? { userInfo } : { allowed: isAllowed(call.user, question) };
  sendJson(call.response, 201, { ...asked, status });
}

async function list(call: KubeCall, target: ResourceRequest, registry: Registry): Promise<void> {
  const { kind, namespace } = target;
  const found = await registry.list(kind, namespace);
  const items = found.items.filter(selectorOf(call));
  const resourceVersion = String(found.revision);
  if (wantsTable(call.request.headers.accept)) {
    const options = { ...tableOptions(call, kind.plural, registry.now()), resourceVersion };
    sendJson(call.response, 200, renderTable(items, options));
    return;
  }
  const apiVersion = groupVersionOf(kind);
  sendJson(call.response, 200, {
    kind: `${kind.kind}List`,
    apiVersion,
    metadata: { resourceVersion },
    items,
  });
}

const SUBRESOURCES: readonly (string | undefined)[] = [undefined, 'status'];

export async function handleResource(
  call: KubeCall,
  target: ResourceRequest,
  registry: Registry,
): Promise<void> {
  const verb = verbOf(call, target);
  authorize(call.user, verb, target);
  if (REVIEW_KINDS.includes(target.kind)) {
    return review(call, target);
  }
  if (!SUBRESOURCES.includes(target.subresource)) {
    throw new StatusError('NotFound', 'the server could not find the requested resource');
  }
  const { kind, namespace, name = '' } = target;
  const answer = (object: Awaited<ReturnType<typeof postObject>>, code = 200): void =>
    sendObject(call, kind, object, registry.now(), code);
  switch (verb) {
    case 'list':
      return list(call, target, registry);
    case 'watch':
      return watchObjects(call, target, registry);
    case 'get':
      answer(await registry.get(kind, namespace, name));
      break;
    case 'create':
      answer(await postObject(call, target, registry), 201);
      break;
    case 'update':
      answer(await putObject(call, target, registry));
      break;
    case 'patch':
      answer(await patchObject(call, target, registry));
      break;
    case 'delete':
      sendJson(call.response, 200, deletionStatus(target, await deleteObject(call, target, registry)));
      break;
    case 'deletecollection':
      await deleteCollection(call, target, registry);
      sendJson(call.response, 200, {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
      });
  }
}
