/** Allowed, forbidden or hidden: what a caller may see but not do is forbidden, what it may not know of is hidden. */
import { findAccessRow, type AccessKey } from './access-matrix';
import { isPlatformRole, type AccessRole } from './roles';

export type AccessDecision = 'allowed' | 'forbidden' | 'hidden';

export interface AccessQuestion {
  readonly role: AccessRole;
  /** The object lives in the tenant that the caller's token belongs to (or in no tenant at all). */
  readonly ownTenant: boolean;
  readonly access: AccessKey;
}

export function decideAccess({ role, ownTenant, access }: AccessQuestion): AccessDecision {
  // Tenants do not know of one another; the platform's staff know every tenant's name, and no more.
  if (!ownTenant && !isPlatformRole(role)) {
    return 'hidden';
  }
  const reach = findAccessRow(access)?.reach[role];
  if (reach === 'any' || (reach === 'own' && ownTenant)) {
    return 'allowed';
  }
  return 'forbidden';
}
