import { Injectable } from '@nestjs/common';
import { timingSafeEqual } from 'node:crypto';
import type { Principal } from '../../domain/access/principal';
import { DomainError } from '../../domain/shared/errors';
import { hashToken } from './api-token';
import { TokenDirectory } from './token-directory';

const TOUCH_EVERY_MS = 60_000;

@Injectable()
export class Authenticator {
  constructor(private readonly tokens: TokenDirectory) {}

  /** The same refusal for a wrong, an expired and a revoked token: nobody learns which. */
  async authenticate(token: string | undefined): Promise<Principal> {
    if (token === undefined) {
      throw new DomainError('unauthenticated', 'TOKEN_MISSING', '');
    }
    const hash = hashToken(token);
    const stored = await this.tokens.find(hash);
    const now = Date.now();
    const usable =
      stored !== undefined &&
      timingSafeEqual(stored.hash, hash) &&
      stored.revokedAt === null &&
      (stored.expiresAt === null || stored.expiresAt.getTime() > now);
    if (!usable) {
      throw new DomainError('unauthenticated', 'TOKEN_INVALID', '');
    }
    if (stored.lastUsedAt === null || now - stored.lastUsedAt.getTime() > TOUCH_EVERY_MS) {
      await this.tokens.touch(stored.principal.tokenId, new Date(now));
    }
    return stored.principal;
  }
}
