import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../domain/shared/errors';
import { isUuid } from '../../../platform/http/names';
import type { Page } from '../../../platform/http/paging';
import { TenantUnitOfWork } from '../../tenancy/tenant-unit-of-work';
import { OperationRepository, type OperationRow } from '../operation.repository';
import { GetOperation, ListOperations } from './operations.query';

@QueryHandler(ListOperations)
export class ListOperationsHandler implements IQueryHandler<ListOperations> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly operations: OperationRepository,
  ) {}

  execute({ tenantId, filter, page }: ListOperations): Promise<Page<OperationRow>> {
    return this.work.run(tenantId, (tx) => this.operations.list(tx, filter, page));
  }
}

@QueryHandler(GetOperation)
export class GetOperationHandler implements IQueryHandler<GetOperation> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly operations: OperationRepository,
  ) {}

  async execute({ tenantId, id }: GetOperation): Promise<OperationRow> {
    const found = isUuid(id)
      ? await this.work.run(tenantId, (tx) => this.operations.find(tx, id))
      : undefined;
    if (found === undefined) {
      throw new DomainError('not-found', 'OPERATION_NOT_FOUND', '');
    }
    return found;
  }
}
