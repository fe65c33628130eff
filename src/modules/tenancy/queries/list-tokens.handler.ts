import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Page } from '../../../platform/http/paging';
import { TenantUnitOfWork } from '../tenant-unit-of-work';
import { TokenRepository, type TokenRow } from '../token.repository';
import { ListTokens } from './list-tokens.query';

@QueryHandler(ListTokens)
export class ListTokensHandler implements IQueryHandler<ListTokens> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly tokens: TokenRepository,
  ) {}

  execute({ tenantId, page }: ListTokens): Promise<Page<TokenRow>> {
    return this.work.run(tenantId, (tx) => this.tokens.list(tx, page));
  }
}
