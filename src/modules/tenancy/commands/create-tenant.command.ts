import { Command } from '@nestjs/cqrs';
import type { Invocation } from '../invocation';

export class CreateTenant extends Command<{ readonly id: string }> {
  constructor(
    /** tenantId is the platform's. */
    readonly invocation: Invocation,
    readonly name: string,
    readonly displayName: string,
  ) {
    super();
  }
}
