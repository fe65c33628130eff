import { Query } from '@nestjs/cqrs';
import type { Principal } from '../../../domain/access/principal';
import type { Page, PageRequest } from '../../../platform/http/paging';
import type { TenantRow } from '../tenant-directory';

export class ListTenants extends Query<Page<TenantRow>> {
  constructor(
    readonly principal: Principal,
    readonly page: PageRequest,
  ) {
    super();
  }
}

export class GetTenant extends Query<TenantRow> {
  constructor(readonly name: string) {
    super();
  }
}
