import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../domain/shared/errors';
import type { Page } from '../../../platform/http/paging';
import { TenantDirectory, type TenantRow } from '../tenant-directory';
import { GetTenant, ListTenants } from './tenants.query';

@QueryHandler(ListTenants)
export class ListTenantsHandler implements IQueryHandler<ListTenants> {
  constructor(private readonly tenants: TenantDirectory) {}

  async execute({ principal, page }: ListTenants): Promise<Page<TenantRow>> {
    if (principal.isPlatform) {
      return this.tenants.list(page);
    }
    const own = await this.tenants.find(principal.tenantName);
    return { items: own === undefined ? [] : [own] };
  }
}

@QueryHandler(GetTenant)
export class GetTenantHandler implements IQueryHandler<GetTenant> {
  constructor(private readonly tenants: TenantDirectory) {}

  async execute({ name }: GetTenant): Promise<TenantRow> {
    const found = await this.tenants.find(name);
    if (found === undefined) {
      throw new DomainError('not-found', 'TENANT_NOT_FOUND', '');
    }
    return found;
  }
}
