/** The roles a token can have: three inside a tenant, two of the platform's own staff. */

export const TENANT_ROLES = ['viewer', 'operator', 'admin'] as const;
export const PLATFORM_ROLES = ['platform-support', 'platform-admin'] as const;
export const ROLES = [...TENANT_ROLES, ...PLATFORM_ROLES] as const;
export type TenantRole = (typeof TENANT_ROLES)[number];
export type AccessRole = (typeof ROLES)[number];

export function isPlatformRole(role: AccessRole): boolean {
  return (PLATFORM_ROLES as readonly AccessRole[]).includes(role);
}
