import type { AccessRole } from '../../domain/access/roles';
import type { Page, PageRequest } from '../../platform/http/paging';
import type { TenantTx } from './tenant-unit-of-work';

export interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly role: AccessRole;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export interface NewToken {
  readonly name: string;
  readonly role: AccessRole;
  readonly hash: Uint8Array<ArrayBuffer>;
  readonly expiresAt: Date | null;
}

export abstract class TokenRepository {
  abstract list(tx: TenantTx, page: PageRequest): Promise<Page<TokenRow>>;
  abstract findById(tx: TenantTx, id: string): Promise<TokenRow | undefined>;
  /** Throws TOKEN_NAME_TAKEN. */
  abstract create(tx: TenantTx, token: NewToken): Promise<TokenRow>;
  /** The id of the token, revoked now or before; undefined = no token of that name. */
  abstract revoke(
    tx: TenantTx,
    name: string,
    at: Date,
  ): Promise<{ readonly id: string; readonly changed: boolean } | undefined>;
}
