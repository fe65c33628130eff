import type { Page, PageRequest } from '../../platform/http/paging';

export interface TenantRow {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly kind: 'tenant' | 'platform';
  readonly createdAt: Date;
}

/** All tenants: a cross-tenant path, for the platform's staff and for the door check. */
export abstract class TenantDirectory {
  abstract find(name: string): Promise<TenantRow | undefined>;
  abstract list(page: PageRequest): Promise<Page<TenantRow>>;
  /** Throws TENANT_NAME_TAKEN. */
  abstract create(tenant: { readonly name: string; readonly displayName: string }): Promise<TenantRow>;
}
