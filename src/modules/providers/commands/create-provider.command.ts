import { Command } from '@nestjs/cqrs';
import type { Invocation } from '../../tenancy/invocation';
import type { ProviderRow } from '../tenant-provider.repository';

export class CreateProvider extends Command<ProviderRow> {
  constructor(
    readonly invocation: Invocation,
    /** The provider is made in the platform tenant, and so hidden. */
    readonly inPlatform: boolean,
    readonly name: string,
    readonly alias: string | undefined,
  ) {
    super();
  }
}

/** The plain token leaves with the answer and is nowhere else. */
export class CreateJoinToken extends Command<{ readonly token: string; readonly expiresAt: Date }> {
  constructor(
    readonly invocation: Invocation,
    readonly provider: string,
    readonly ttlSeconds: number,
  ) {
    super();
  }
}
