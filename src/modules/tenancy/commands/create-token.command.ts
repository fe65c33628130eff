import { Command } from '@nestjs/cqrs';
import type { AccessRole } from '../../../domain/access/roles';
import type { Invocation } from '../invocation';
import type { TokenRow } from '../token.repository';

export interface TokenRequest {
  readonly name: string;
  readonly role: AccessRole;
  readonly ttlSeconds?: number | undefined;
}

/** The plain token leaves with the answer and is nowhere else. */
export class CreateToken extends Command<{ readonly row: TokenRow; readonly token: string }> {
  constructor(
    readonly invocation: Invocation,
    /** The token is made in the platform tenant. */
    readonly inPlatform: boolean,
    readonly request: TokenRequest,
  ) {
    super();
  }
}
