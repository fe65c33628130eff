import { Query } from '@nestjs/cqrs';
import type { Page, PageRequest } from '../../../platform/http/paging';
import type { ProviderRow } from '../tenant-provider.repository';

export class ListProviders extends Query<Page<ProviderRow>> {
  constructor(
    readonly tenantId: string,
    readonly page: PageRequest,
  ) {
    super();
  }
}
