import { Command } from '@nestjs/cqrs';
import type { Invocation } from '../invocation';

export class RevokeToken extends Command<void> {
  constructor(
    readonly invocation: Invocation,
    readonly name: string,
  ) {
    super();
  }
}
