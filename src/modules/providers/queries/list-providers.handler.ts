import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Page } from '../../../platform/http/paging';
import { TenantUnitOfWork } from '../../tenancy/tenant-unit-of-work';
import { TenantProviderRepository, type ProviderRow } from '../tenant-provider.repository';
import { ListProviders } from './list-providers.query';

@QueryHandler(ListProviders)
export class ListProvidersHandler implements IQueryHandler<ListProviders> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly providers: TenantProviderRepository,
  ) {}

  execute({ tenantId, page }: ListProviders): Promise<Page<ProviderRow>> {
    return this.work.run(tenantId, (tx) => this.providers.list(tx, page));
  }
}
