import type { Page, PageRequest } from '../../platform/http/paging';
import type { TenantTx } from '../tenancy/tenant-unit-of-work';

export interface ProviderRow {
  readonly id: string;
  readonly name: string;
  readonly alias: string | null;
  readonly hidden: boolean;
  readonly createdAt: Date;
  readonly lastHeartbeatAt: Date | null;
}

export interface NewProvider {
  readonly name: string;
  readonly alias: string | null;
  readonly hidden: boolean;
}

/** Providers as their owner manages them; what agents do with them is elsewhere. */
export abstract class TenantProviderRepository {
  abstract list(tx: TenantTx, page: PageRequest): Promise<Page<ProviderRow>>;
  abstract find(tx: TenantTx, name: string): Promise<ProviderRow | undefined>;
  abstract findById(tx: TenantTx, id: string): Promise<ProviderRow | undefined>;
  /** Throws PROVIDER_NAME_TAKEN or PROVIDER_ALIAS_TAKEN. */
  abstract create(tx: TenantTx, provider: NewProvider): Promise<ProviderRow>;
  abstract addJoinToken(
    tx: TenantTx,
    providerId: string,
    hash: Uint8Array<ArrayBuffer>,
    expiresAt: Date | null,
  ): Promise<void>;
}
