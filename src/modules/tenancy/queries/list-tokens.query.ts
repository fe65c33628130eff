import { Query } from '@nestjs/cqrs';
import type { Page, PageRequest } from '../../../platform/http/paging';
import type { TokenRow } from '../token.repository';

export class ListTokens extends Query<Page<TokenRow>> {
  constructor(
    readonly tenantId: string,
    readonly page: PageRequest,
  ) {
    super();
  }
}
