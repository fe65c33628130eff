import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'qt_';

/** 256 random bits: not to be guessed, so a plain SHA-256 is enough at rest. */
export function newApiToken(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

export function hashToken(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(token).digest());
}

/** The token of `Authorization: Bearer <token>`; the scheme is case-insensitive (RFC 9110). */
export function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];
}
