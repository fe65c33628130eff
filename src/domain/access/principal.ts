/** Who calls: one token, its role, and the one tenant that it belongs to. */
import type { AccessRole } from './roles';

export interface Principal {
  readonly tokenId: string;
  /** Name of the token; what audit rows and operations call the caller. */
  readonly name: string;
  readonly tenantId: string;
  readonly tenantName: string;
  readonly role: AccessRole;
  /** The token belongs to the platform tenant. */
  readonly isPlatform: boolean;
}

export interface TenantRef {
  readonly id: string;
  readonly name: string;
}
