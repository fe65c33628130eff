/**
 * The OpenAPI v3 documents of the API server, only as deep as `kubectl apply` looks: which paths take which kind, and
 * that the server itself validates fields. The schemas say nothing about fields.
 */
import type { JsonObject } from './kube-object';
import { groupVersionOf, RESOURCE_KINDS, type ResourceKind } from './resource-kinds';

const rootOf = (groupVersion: string): string => (groupVersion === 'v1' ? 'api/v1' : `apis/${groupVersion}`);

const query = (name: string): JsonObject => ({
  name,
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
});
const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map(query);

function operation(kind: ResourceKind, action: string): JsonObject {
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind };
  return {
    operationId: `${action}${kind.kind}`,
    parameters: WRITE_PARAMETERS,
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
  };
}

function pathsOf(kind: ResourceKind): [string, JsonObject][] {
  const scope = kind.namespaced ? '/namespaces/{namespace}' : '';
  const collection = `/${rootOf(groupVersionOf(kind))}${scope}/${kind.plural}`;
  return [
    [collection, { get: operation(kind, 'list'), post: operation(kind, 'post') }],
    [
      `${collection}/{name}`,
      {
        get: operation(kind, 'get'),
        put: operation(kind, 'put'),
        patch: operation(kind, 'patch'),
        delete: operation(kind, 'delete'),
      },
    ],
  ];
}

function schemaOf(kind: ResourceKind): [string, JsonObject] {
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind };
  return [
    `io.k8s.simulated.${kind.version}.${kind.kind}`,
    {
      type: 'object',
      description: `${kind.kind}, served by the simulated API server.`,
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-group-version-kind': [gvk],
    },
  ];
}

/** Undefined when the path is not one of OpenAPI v3. */
export function openApiDocument(pathname: string): JsonObject | undefined {
  const groupVersions = [...new Set(RESOURCE_KINDS.map(groupVersionOf))];
  if (pathname === '/openapi/v3') {
    const entries = groupVersions.map((gv) => [
      rootOf(gv),
      { serverRelativeURL: `/openapi/v3/${rootOf(gv)}` },
    ]);
    return { paths: Object.fromEntries(entries) as JsonObject };
  }
  const groupVersion = groupVersions.find((gv) => pathname === `/openapi/v3/${rootOf(gv)}`);
  if (groupVersion === undefined) {
    return undefined;
  }
  const kinds = RESOURCE_KINDS.filter((kind) => groupVersionOf(kind) === groupVersion);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes (simulated by Quorate)', version: 'v1' },
    paths: Object.fromEntries(kinds.flatMap(pathsOf)),
    components: { schemas: Object.fromEntries(kinds.map(schemaOf)) },
  };
}
