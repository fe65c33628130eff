import { Controller } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { PageTokens } from '../../platform/http/paging';
import { Checked, Route, type Call, type ResponseOf } from '../../platform/http/route';
import { listEvents, presentEvent } from './events.schemas';
import { ListEvents } from './queries/list-events.query';

@Controller()
export class EventsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly pages: PageTokens,
  ) {}

  @Route(listEvents)
  async list(@Checked() call: Call<typeof listEvents>): Promise<ResponseOf<typeof listEvents>> {
    const scope = [call.tenant.id, 'events', call.query.cluster];
    const query = new ListEvents(call.tenant.id, call.query.cluster, this.pages.read(scope, call.query));
    const page = await this.queries.execute(query);
    return this.pages.write(scope, { ...page, items: page.items.map(presentEvent) });
  }
}
