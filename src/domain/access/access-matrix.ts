/** Who may do what (behavior table 10): every resource and verb with the roles that may use it. Not listed = refused. */
import type { AccessRole } from './roles';

/**
 * own: in the tenant that the token belongs to. any: in every tenant.
 * A tenant's token never gets `any`; the platform's staff get inside a tenant's objects by a support session only.
 */
export type Reach = 'own' | 'any';

export interface AccessRow {
  readonly resource: string;
  readonly verb: string;
  readonly reach: Readonly<Partial<Record<AccessRole, Reach>>>;
}

const everyone = { viewer: 'own', operator: 'own', admin: 'own' } as const;
const operators = { operator: 'own', admin: 'own' } as const;
const admins = { admin: 'own' } as const;
const staff = { 'platform-support': 'any', 'platform-admin': 'any' } as const;
const staffAtHome = { 'platform-support': 'own', 'platform-admin': 'own' } as const;

export const ACCESS_MATRIX = [
  { resource: 'tenant', verb: 'list', reach: { ...everyone, ...staff } },
  { resource: 'tenant', verb: 'get', reach: { ...everyone, ...staff } },
  { resource: 'tenant', verb: 'create', reach: { 'platform-admin': 'any' } },

  { resource: 'token', verb: 'list', reach: { ...admins, 'platform-admin': 'any' } },
  { resource: 'token', verb: 'create', reach: { ...admins, 'platform-admin': 'any' } },
  { resource: 'token', verb: 'delete', reach: { ...admins, 'platform-admin': 'any' } },

  { resource: 'template', verb: 'validate', reach: everyone },
  { resource: 'template', verb: 'status', reach: everyone },
  { resource: 'template', verb: 'sync', reach: operators },
  { resource: 'template', verb: 'delete', reach: operators },

  { resource: 'cluster', verb: 'list', reach: everyone },
  { resource: 'cluster', verb: 'get', reach: everyone },
  { resource: 'cluster', verb: 'explain', reach: everyone },
  { resource: 'cluster', verb: 'delete', reach: operators },
  { resource: 'cluster-machine', verb: 'list', reach: everyone },
  { resource: 'kubeconfig', verb: 'create', reach: operators },

  { resource: 'machine', verb: 'list', reach: everyone },
  { resource: 'machine-class', verb: 'list', reach: everyone },
  { resource: 'machine-class', verb: 'create', reach: operators },
  { resource: 'machine-class', verb: 'delete', reach: operators },

  { resource: 'provider', verb: 'list', reach: { ...everyone, ...staffAtHome } },
  { resource: 'provider', verb: 'create', reach: { ...admins, 'platform-admin': 'own' } },
  { resource: 'join-token', verb: 'create', reach: { ...admins, 'platform-admin': 'own' } },

  { resource: 'operation', verb: 'list', reach: everyone },
  { resource: 'operation', verb: 'get', reach: everyone },
  { resource: 'event', verb: 'list', reach: everyone },
  { resource: 'change', verb: 'watch', reach: everyone },
  { resource: 'options', verb: 'get', reach: { ...everyone, ...staffAtHome } },
] as const satisfies readonly AccessRow[];

type Row = (typeof ACCESS_MATRIX)[number];
export type AccessKey = {
  [R in Row as R['resource']]: { readonly resource: R['resource']; readonly verb: R['verb'] };
}[Row['resource']];

export function findAccessRow(key: {
  readonly resource: string;
  readonly verb: string;
}): AccessRow | undefined {
  return ACCESS_MATRIX.find((row) => row.resource === key.resource && row.verb === key.verb);
}
