import { Command } from '@nestjs/cqrs';
import type { OperationRow } from '../../operations/operation.repository';
import type { Invocation } from '../../tenancy/invocation';

/** Asks for the tear-down; asked again, answers the same operation. */
export class DeleteCluster extends Command<OperationRow> {
  constructor(
    readonly invocation: Invocation,
    readonly name: string,
    /** If-Match of the caller; undefined = whatever version. */
    readonly etag: string | undefined,
  ) {
    super();
  }
}
