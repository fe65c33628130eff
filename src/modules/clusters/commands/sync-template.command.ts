import { Command } from '@nestjs/cqrs';
import type { Violation } from '../../../domain/shared/errors';
import type { OperationRow } from '../../operations/operation.repository';
import type { Invocation } from '../../tenancy/invocation';
import type { TemplateSource } from '../ports/template-compiler';

export interface SyncedTemplate {
  readonly operation: OperationRow;
  /** What the tenant should know although nothing was refused. */
  readonly warnings: readonly Violation[];
}

/** Makes the cluster what the template says: creates it, changes it, or finds nothing to do. */
export class SyncTemplate extends Command<SyncedTemplate> {
  constructor(
    readonly invocation: Invocation,
    readonly source: TemplateSource,
    readonly allowDowngrade: boolean,
  ) {
    super();
  }
}
