import { z } from 'zod';
import { ROLES } from '../../domain/access/roles';
import { Name, PathName, TenantParams, Time, optionalTimeOf, timeOf } from '../../platform/http/names';
import { PageQuery, pageOf } from '../../platform/http/paging';
import { declareRoute } from '../../platform/http/route';
import type { TokenRow } from './token.repository';

const fields = {
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  createdAt: Time,
  expiresAt: Time.nullable(),
  revokedAt: Time.nullable(),
  lastUsedAt: Time.nullable().describe('Exact to the minute.'),
};
export const TokenView = z.strictObject(fields).meta({ id: 'Token' });

export function presentToken(token: TokenRow): z.output<typeof TokenView> {
  return {
    id: token.id,
    name: token.name,
    role: token.role,
    createdAt: timeOf(token.createdAt),
    expiresAt: optionalTimeOf(token.expiresAt),
    revokedAt: optionalTimeOf(token.revokedAt),
    lastUsedAt: optionalTimeOf(token.lastUsedAt),
  };
}

export const listTokens = declareRoute({
  id: 'listTokens',
  method: 'GET',
  path: 'tenants/{tenant}/tokens',
  tag: 'Tenancy',
  summary: 'Lists the tokens of a tenant, never their secrets',
  access: { resource: 'token', verb: 'list' },
  params: TenantParams,
  query: z.strictObject(PageQuery),
  status: 200,
  response: pageOf(TokenView),
});

export const createToken = declareRoute({
  id: 'createToken',
  method: 'POST',
  path: 'tenants/{tenant}/tokens',
  tag: 'Tenancy',
  summary: 'Creates a token and shows its secret this one time',
  access: { resource: 'token', verb: 'create' },
  params: TenantParams,
  body: z.strictObject({
    name: Name,
    role: z.enum(ROLES),
    ttlSeconds: z.int().min(60).max(31_536_000).optional().describe('Absent = does not expire.'),
  }),
  status: 201,
  secret: true,
  response: z.strictObject({ ...fields, token: z.string() }).meta({ id: 'CreatedToken' }),
});

export const deleteToken = declareRoute({
  id: 'deleteToken',
  method: 'DELETE',
  path: 'tenants/{tenant}/tokens/{name}',
  tag: 'Tenancy',
  summary: 'Revokes a token at once, open watches included',
  access: { resource: 'token', verb: 'delete' },
  params: z.strictObject({ tenant: PathName, name: PathName }),
  status: 204,
});
