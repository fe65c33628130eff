import { z } from 'zod';
import { PathName, TenantParams, Time, optionalTimeOf, timeOf } from '../../platform/http/names';
import { PageQuery, pageOf } from '../../platform/http/paging';
import { declareRoute } from '../../platform/http/route';
import { OPERATION_STATES, type OperationRow } from './operation.repository';

export const OperationView = z
  .strictObject({
    id: z.string(),
    kind: z.string().describe('create, update or delete; further kinds may come.'),
    state: z.enum(OPERATION_STATES),
    cluster: z.string().nullable(),
    steps: z.array(
      z.strictObject({
        name: z.string(),
        state: z.string(),
        startedAt: Time.nullable(),
        finishedAt: Time.nullable(),
        message: z.string(),
      }),
    ),
    message: z.string(),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    requestedBy: z.string(),
    createdAt: Time,
    finishedAt: Time.nullable(),
  })
  .meta({ id: 'Operation' });
export type OperationView = z.output<typeof OperationView>;

export function presentOperation(row: OperationRow): OperationView {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    cluster: row.clusterName,
    steps: row.steps.map((step) => ({
      name: step.name ?? '',
      state: step.state ?? 'Pending',
      startedAt: step.startedAt ?? null,
      finishedAt: step.finishedAt ?? null,
      message: step.message ?? '',
    })),
    message: row.message,
    error: row.error === null ? null : { code: row.error.code ?? 'FAILED', message: row.error.message ?? '' },
    requestedBy: row.requestedBy,
    createdAt: timeOf(row.createdAt),
    finishedAt: optionalTimeOf(row.finishedAt),
  };
}

export const listOperations = declareRoute({
  id: 'listOperations',
  method: 'GET',
  path: 'tenants/{tenant}/operations',
  tag: 'Operations',
  summary: 'Lists the operations, newest first',
  access: { resource: 'operation', verb: 'list' },
  params: TenantParams,
  query: z.strictObject({
    ...PageQuery,
    cluster: z.string().max(253).optional(),
    state: z.enum(OPERATION_STATES).optional(),
  }),
  status: 200,
  response: pageOf(OperationView),
});

export const getOperation = declareRoute({
  id: 'getOperation',
  method: 'GET',
  path: 'tenants/{tenant}/operations/{operation}',
  tag: 'Operations',
  summary: 'Reads one operation with its steps',
  access: { resource: 'operation', verb: 'get' },
  params: z.strictObject({ tenant: PathName, operation: PathName }),
  status: 200,
  response: OperationView,
});
