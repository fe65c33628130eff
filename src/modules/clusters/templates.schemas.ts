import { z } from 'zod';
import { TenantParams } from '../../platform/http/names';
import { ViolationView } from '../../platform/http/problem';
import { declareRoute } from '../../platform/http/route';
import { OperationView, presentOperation } from '../operations/operations.schemas';
import { ClusterView, presentCluster } from './clusters.schemas';
import type { SyncPlan } from './plan-sync';
import type { TemplateStatus } from './queries/template.query';

const TemplateBody = z.strictObject({
  template: z.string().min(1).max(1_000_000).describe('The text of the template, several YAML documents.'),
  fileName: z.string().min(1).max(500).default('template.yaml').describe('How errors call the template.'),
  files: z
    .record(z.string().min(1).max(500), z.string())
    .default({})
    .describe('The files beside the template that it names, by relative path. The server opens none itself.'),
});

const Change = z.strictObject({
  path: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  before: z.string().optional(),
  after: z.string().optional(),
});

const Preview = z
  .strictObject({
    cluster: z.string(),
    managed: z.boolean(),
    action: z.enum(['create', 'update', 'none']),
    changes: z.array(Change),
    warnings: z.array(ViolationView),
  })
  .meta({ id: 'SyncPreview' });

export function presentPreview({ spec, action, changes, warnings }: SyncPlan): z.output<typeof Preview> {
  return {
    cluster: spec.name,
    managed: spec.controlPlane.source.kind === 'managed',
    action,
    changes: changes.map((change) => ({ ...change })),
    warnings: [...warnings],
  };
}

const Status = z
  .strictObject({
    cluster: z.string(),
    exists: z.boolean(),
    inSync: z.boolean().describe('The cluster was last synced from what this template says.'),
    status: ClusterView.nullable(),
    operation: OperationView.nullable().describe('The newest operation of the cluster.'),
  })
  .meta({ id: 'TemplateStatus' });

export function presentStatus({ name, cluster, inSync, operation }: TemplateStatus): z.output<typeof Status> {
  return {
    cluster: name,
    exists: cluster !== undefined,
    inSync,
    status: cluster === undefined ? null : presentCluster(cluster),
    operation: operation === undefined ? null : presentOperation(operation),
  };
}

const SyncedTemplate = OperationView.extend({ warnings: z.array(ViolationView) }).meta({
  id: 'SyncedTemplate',
});

const base = { method: 'POST', tag: 'Templates', params: TenantParams, body: TemplateBody } as const;

export const validateTemplate = declareRoute({
  ...base,
  id: 'validateTemplate',
  path: 'tenants/{tenant}/templates:validate',
  summary: 'Checks a template as a sync would, and changes nothing',
  access: { resource: 'template', verb: 'validate' },
  status: 200,
  response: Preview,
});

export const syncTemplate = declareRoute({
  ...base,
  id: 'syncTemplate',
  path: 'tenants/{tenant}/templates:sync',
  summary: 'Makes the cluster what the template says',
  description:
    'Answers an operation; an unchanged template answers one that has already succeeded. With dryRun, only what would change.',
  access: { resource: 'template', verb: 'sync' },
  query: z.strictObject({
    dryRun: z.enum(['true', 'false', 'all']).default('false'),
    allowDowngrade: z
      .enum(['true', 'false'])
      .default('false')
      .describe('Own machines only; a managed cluster never goes down.'),
  }),
  status: 202,
  response: SyncedTemplate,
  alternatives: { 200: Preview },
});

export const templateStatus = declareRoute({
  ...base,
  id: 'templateStatus',
  path: 'tenants/{tenant}/templates:status',
  summary: 'Says whether the cluster is what the template says, and how it is',
  access: { resource: 'template', verb: 'status' },
  status: 200,
  response: Status,
});

export const deleteTemplate = declareRoute({
  ...base,
  id: 'deleteTemplate',
  path: 'tenants/{tenant}/templates:delete',
  summary: 'Deletes the cluster that the template describes',
  access: { resource: 'template', verb: 'delete' },
  status: 202,
  response: OperationView,
});
