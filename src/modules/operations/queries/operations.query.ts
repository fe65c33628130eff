import { Query } from '@nestjs/cqrs';
import type { Page, PageRequest } from '../../../platform/http/paging';
import type { OperationFilter, OperationRow } from '../operation.repository';

export class ListOperations extends Query<Page<OperationRow>> {
  constructor(
    readonly tenantId: string,
    readonly filter: OperationFilter,
    readonly page: PageRequest,
  ) {
    super();
  }
}

export class GetOperation extends Query<OperationRow> {
  constructor(
    readonly tenantId: string,
    readonly id: string,
  ) {
    super();
  }
}
