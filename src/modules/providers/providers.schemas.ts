import { z } from 'zod';
import { PROVIDER_HEALTH, judgeHeartbeat } from '../../domain/provider/judge-heartbeat';
import { Name, PathName, TenantParams, Time, optionalTimeOf, timeOf } from '../../platform/http/names';
import { PageQuery, pageOf } from '../../platform/http/paging';
import { declareRoute } from '../../platform/http/route';
import type { ProviderRow } from './tenant-provider.repository';

export const ProviderView = z
  .strictObject({
    name: z.string(),
    alias: z
      .string()
      .nullable()
      .describe('Name under which tenants order from it; only of platform providers.'),
    hidden: z.boolean(),
    health: z.enum(PROVIDER_HEALTH),
    lastHeartbeatAt: Time.nullable(),
    createdAt: Time,
  })
  .meta({ id: 'Provider' });

export function presentProvider(row: ProviderRow): z.output<typeof ProviderView> {
  const { name, alias, hidden, lastHeartbeatAt, createdAt } = row;
  const health = judgeHeartbeat(lastHeartbeatAt, new Date());
  return {
    name,
    alias,
    hidden,
    health,
    lastHeartbeatAt: optionalTimeOf(lastHeartbeatAt),
    createdAt: timeOf(createdAt),
  };
}

export const listProviders = declareRoute({
  id: 'listProviders',
  method: 'GET',
  path: 'tenants/{tenant}/providers',
  tag: 'Providers',
  summary: "Lists the tenant's own providers by name",
  access: { resource: 'provider', verb: 'list' },
  params: TenantParams,
  query: z.strictObject(PageQuery),
  status: 200,
  response: pageOf(ProviderView),
});

export const createProvider = declareRoute({
  id: 'createProvider',
  method: 'POST',
  path: 'tenants/{tenant}/providers',
  tag: 'Providers',
  summary: 'Creates a provider; its agents join with a join token',
  access: { resource: 'provider', verb: 'create' },
  params: TenantParams,
  body: z.strictObject({
    name: Name,
    alias: Name.optional().describe(
      'Platform tenant only: the name that tenants order by. Such a provider is hidden.',
    ),
  }),
  status: 201,
  response: ProviderView,
});

export const createJoinToken = declareRoute({
  id: 'createJoinToken',
  method: 'POST',
  path: 'tenants/{tenant}/providers/{name}/join-tokens',
  tag: 'Providers',
  summary: 'Creates a token by which agents register, and shows it this one time',
  access: { resource: 'join-token', verb: 'create' },
  params: z.strictObject({ tenant: PathName, name: PathName }),
  body: z.strictObject({ ttlSeconds: z.int().min(60).max(31_536_000).default(86_400) }),
  status: 201,
  secret: true,
  response: z.strictObject({ token: z.string(), expiresAt: Time }).meta({ id: 'JoinToken' }),
});

export const getProviderCa = declareRoute({
  id: 'getProviderCa',
  method: 'GET',
  path: 'provider-ca',
  tag: 'Providers',
  summary: 'Root certificate of the door for provider agents',
  description: 'PEM. Agents verify the server by it when they register.',
  access: 'public',
  status: 200,
  response: z.string().meta({ description: 'PEM' }),
  contentType: 'application/x-pem-file',
});
