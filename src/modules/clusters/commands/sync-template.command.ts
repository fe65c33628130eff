import { Command } from '@nestjs/cqrs';
import type { OperationRow } from '../../operations/operation.repository';
import type { Invocation } from '../../tenancy/invocation';
import type { TemplateSource } from '../ports/template-compiler';

/** Makes the cluster what the template says: creates it, changes it, or finds nothing to do. */
export class SyncTemplate extends Command<OperationRow> {
  constructor(
    readonly invocation: Invocation,
    readonly source: TemplateSource,
    readonly allowDowngrade: boolean,
  ) {
    super();
  }
}
