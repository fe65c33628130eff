import { Query } from '@nestjs/cqrs';
import type { Page, PageRequest } from '../../../platform/http/paging';
import type { EventRow } from '../event.repository';

export class ListEvents extends Query<Page<EventRow>> {
  constructor(
    readonly tenantId: string,
    readonly cluster: string | undefined,
    readonly page: PageRequest,
  ) {
    super();
  }
}
