import type { Principal } from '../../domain/access/principal';

export interface StoredToken {
  readonly principal: Principal;
  readonly hash: Uint8Array;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** Finds a token before its tenant is known: a cross-tenant path, and the only one of authentication. */
export abstract class TokenDirectory {
  abstract find(hash: Uint8Array<ArrayBuffer>): Promise<StoredToken | undefined>;
  abstract touch(tokenId: string, at: Date): Promise<void>;
}
