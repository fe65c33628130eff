import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Page } from '../../../platform/http/paging';
import { TenantUnitOfWork } from '../../tenancy/tenant-unit-of-work';
import { EventRepository, type EventRow } from '../event.repository';
import { ListEvents } from './list-events.query';

@QueryHandler(ListEvents)
export class ListEventsHandler implements IQueryHandler<ListEvents> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly events: EventRepository,
  ) {}

  execute({ tenantId, cluster, page }: ListEvents): Promise<Page<EventRow>> {
    return this.work.run(tenantId, (tx) => this.events.list(tx, { cluster }, page));
  }
}
