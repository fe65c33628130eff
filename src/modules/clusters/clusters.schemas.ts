import { z } from 'zod';
import { isManaged } from '../../domain/cluster/cluster-spec';
import { Count, PathName, TenantParams, Time, optionalTimeOf, timeOf } from '../../platform/http/names';
import { PageQuery, pageOf } from '../../platform/http/paging';
import { declareRoute } from '../../platform/http/route';
import { OperationView } from '../operations/operations.schemas';
import type { ClusterMachineRow, ClusterRow } from './cluster.repository';

const Condition = z
  .strictObject({
    type: z.string(),
    status: z.enum(['True', 'False', 'Unknown']),
    reason: z.string(),
    message: z.string(),
    lastTransitionTime: z.string(),
  })
  .meta({ id: 'Condition' });

export const ClusterView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    managed: z.boolean(),
    size: z.string().nullable().describe('Size tier of a managed control plane.'),
    provider: z.string().nullable().describe('Alias under which a managed control plane was ordered.'),
    talosVersion: z.string(),
    kubernetesVersion: z.string(),
    labels: z.record(z.string(), z.string()),
    state: z.string().describe('One word for tables; further words may come. The conditions are the truth.'),
    conditions: z.array(Condition),
    generation: Count,
    observedGeneration: Count,
    endpoint: z
      .string()
      .describe('Name of the Kubernetes API in its certificates; reach it by the kubeconfig.'),
    createdAt: Time,
    updatedAt: Time,
    deleteRequestedAt: Time.nullable(),
  })
  .meta({ id: 'Cluster' });
export type ClusterView = z.output<typeof ClusterView>;

export function presentCluster(row: ClusterRow): ClusterView {
  const { spec, conditions } = row;
  const source =
    isManaged(spec) && spec.controlPlane.source.kind === 'managed' ? spec.controlPlane.source : undefined;
  return {
    id: row.id,
    name: row.name,
    managed: row.managed,
    size: source?.size ?? null,
    provider: source?.provider ?? null,
    talosVersion: spec.talosVersion,
    kubernetesVersion: spec.kubernetesVersion,
    labels: { ...spec.labels },
    state: row.deleteRequestedAt === null ? row.state : 'Deleting',
    conditions: conditions.map(({ type, status, reason, message, lastTransitionTime }) => ({
      type,
      status,
      reason,
      message,
      lastTransitionTime,
    })),
    generation: row.generation,
    observedGeneration: row.observedGeneration,
    endpoint: row.endpointHost,
    createdAt: timeOf(row.createdAt),
    updatedAt: timeOf(row.updatedAt),
    deleteRequestedAt: optionalTimeOf(row.deleteRequestedAt),
  };
}

export const ClusterMachineView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    set: z.string(),
    role: z.string(),
    managed: z.boolean(),
    state: z.string(),
    ready: z.boolean(),
    talosVersion: z.string().nullable(),
    message: z.string(),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'ClusterMachine' });

/** Machines of a managed control plane are seen to exist; where they run is the platform's. */
export function presentClusterMachine(row: ClusterMachineRow): z.output<typeof ClusterMachineView> {
  const { id, name, role, managed, state, ready, talosVersion, message } = row;
  return {
    id,
    name,
    set: row.setName,
    role,
    managed,
    state,
    ready,
    talosVersion,
    message,
    createdAt: timeOf(row.createdAt),
    updatedAt: timeOf(row.updatedAt),
  };
}

const Explain = z
  .strictObject({
    cluster: z.string(),
    state: z.string(),
    summary: z.string(),
    next: z.array(z.strictObject({ type: z.string(), target: z.string(), because: z.string() })),
    waiting: z.array(z.strictObject({ on: z.string(), message: z.string() })),
    refused: z.array(
      z.strictObject({
        action: z.string(),
        target: z.string(),
        reason: z.string(),
        arithmetic: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
    conditions: z.array(Condition),
  })
  .meta({ id: 'Explain' });

export function presentExplain(row: ClusterRow): z.output<typeof Explain> {
  const { summary = 'not looked at yet', next = [], waiting = [], refused = [] } = row.explain;
  const { state, conditions } = presentCluster(row);
  return {
    cluster: row.name,
    state,
    summary,
    next: next.map(({ type, target, because }) => ({ type, target, because })),
    waiting: waiting.map(({ on, message }) => ({ on, message })),
    refused: refused.map(({ action, target, reason, arithmetic }) => ({
      action,
      target,
      reason,
      ...(arithmetic === undefined ? {} : { arithmetic: { ...arithmetic } }),
    })),
    conditions,
  };
}

const ClusterParams = z.strictObject({ tenant: PathName, cluster: PathName });

export const listClusters = declareRoute({
  id: 'listClusters',
  method: 'GET',
  path: 'tenants/{tenant}/clusters',
  tag: 'Clusters',
  summary: 'Lists the clusters by name',
  access: { resource: 'cluster', verb: 'list' },
  params: TenantParams,
  query: z.strictObject(PageQuery),
  status: 200,
  response: pageOf(ClusterView),
});

export const getCluster = declareRoute({
  id: 'getCluster',
  method: 'GET',
  path: 'tenants/{tenant}/clusters/{cluster}',
  tag: 'Clusters',
  summary: 'Reads one cluster',
  access: { resource: 'cluster', verb: 'get' },
  params: ClusterParams,
  status: 200,
  etag: true,
  response: ClusterView,
});

export const deleteCluster = declareRoute({
  id: 'deleteCluster',
  method: 'DELETE',
  path: 'tenants/{tenant}/clusters/{cluster}',
  tag: 'Clusters',
  summary: 'Deletes a cluster with all its machines',
  description: 'Asked again, it answers the operation that already runs.',
  access: { resource: 'cluster', verb: 'delete' },
  params: ClusterParams,
  status: 202,
  etag: true,
  response: OperationView,
});

export const explainCluster = declareRoute({
  id: 'explainCluster',
  method: 'GET',
  path: 'tenants/{tenant}/clusters/{cluster}/explain',
  tag: 'Clusters',
  summary: 'Says what happens next, what is waited for, and what was refused by which arithmetic',
  access: { resource: 'cluster', verb: 'explain' },
  params: ClusterParams,
  status: 200,
  response: Explain,
});

export const listClusterMachines = declareRoute({
  id: 'listClusterMachines',
  method: 'GET',
  path: 'tenants/{tenant}/clusters/{cluster}/machines',
  tag: 'Clusters',
  summary: 'Lists the machines of a cluster',
  access: { resource: 'cluster-machine', verb: 'list' },
  params: ClusterParams,
  query: z.strictObject(PageQuery),
  status: 200,
  response: pageOf(ClusterMachineView),
});

export const createKubeconfig = declareRoute({
  id: 'createKubeconfig',
  method: 'POST',
  path: 'tenants/{tenant}/clusters/{cluster}/kubeconfig',
  tag: 'Clusters',
  summary: 'Issues a short-lived kubeconfig; the audit trail names who asked',
  access: { resource: 'kubeconfig', verb: 'create' },
  params: ClusterParams,
  body: z.strictObject({ ttlSeconds: z.int().min(60).max(86_400).default(3600) }),
  status: 201,
  secret: true,
  response: z.strictObject({ kubeconfig: z.string(), expiresAt: Time }).meta({ id: 'Kubeconfig' }),
});
