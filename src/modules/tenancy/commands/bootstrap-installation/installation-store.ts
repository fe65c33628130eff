import type { AccessRole } from '../../../../domain/access/roles';

export interface TenantSeed {
  readonly name: string;
  readonly displayName: string;
  readonly kind: 'tenant' | 'platform';
}

export interface TokenSeed {
  readonly name: string;
  readonly role: AccessRole;
  readonly hash: Uint8Array<ArrayBuffer>;
}

export interface ProviderSeed {
  readonly name: string;
  readonly alias: string | null;
  readonly hidden: boolean;
}

/** Across tenants: the first rows of an installation. Each method answers the id of what is there now. */
export abstract class InstallationStore {
  abstract ensureTenant(tenant: TenantSeed): Promise<string>;
  /** A token of that name with another secret gets this one: a lost token file must not lock an installation. */
  abstract ensureToken(tenantId: string, token: TokenSeed): Promise<void>;
  abstract ensureProvider(tenantId: string, provider: ProviderSeed): Promise<string>;
  abstract ensureJoinToken(
    tenantId: string,
    providerId: string,
    hash: Uint8Array<ArrayBuffer>,
  ): Promise<void>;
}
