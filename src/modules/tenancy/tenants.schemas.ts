import { z } from 'zod';
import { Name, TenantParams, Time, timeOf } from '../../platform/http/names';
import { PageQuery, pageOf } from '../../platform/http/paging';
import { declareRoute } from '../../platform/http/route';
import type { TenantRow } from './tenant-directory';

const DisplayName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must hold no control characters');

export const TenantView = z
  .strictObject({ name: z.string(), displayName: z.string(), createdAt: Time })
  .meta({ id: 'Tenant' });

export function presentTenant(tenant: TenantRow): z.output<typeof TenantView> {
  return { name: tenant.name, displayName: tenant.displayName, createdAt: timeOf(tenant.createdAt) };
}

export const listTenants = declareRoute({
  id: 'listTenants',
  method: 'GET',
  path: 'tenants',
  tag: 'Tenancy',
  summary: 'Lists the tenants that the caller may see',
  description: 'A token of a tenant sees its own tenant and no other.',
  access: { resource: 'tenant', verb: 'list' },
  query: z.strictObject(PageQuery),
  status: 200,
  response: pageOf(TenantView),
});

export const createTenant = declareRoute({
  id: 'createTenant',
  method: 'POST',
  path: 'tenants',
  tag: 'Tenancy',
  summary: 'Creates a tenant',
  access: { resource: 'tenant', verb: 'create' },
  body: z.strictObject({ name: Name, displayName: DisplayName.optional() }),
  status: 201,
  response: TenantView,
});

export const getTenant = declareRoute({
  id: 'getTenant',
  method: 'GET',
  path: 'tenants/{tenant}',
  tag: 'Tenancy',
  summary: 'Reads one tenant',
  access: { resource: 'tenant', verb: 'get' },
  params: TenantParams,
  status: 200,
  response: TenantView,
});
