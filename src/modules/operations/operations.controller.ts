import { Controller } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { PageTokens } from '../../platform/http/paging';
import { Checked, Route, type Call, type ResponseOf } from '../../platform/http/route';
import { getOperation, listOperations, presentOperation } from './operations.schemas';
import { GetOperation, ListOperations } from './queries/operations.query';

@Controller()
export class OperationsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly pages: PageTokens,
  ) {}

  @Route(listOperations)
  async list(@Checked() call: Call<typeof listOperations>): Promise<ResponseOf<typeof listOperations>> {
    const { cluster, state } = call.query;
    const scope = [call.tenant.id, 'operations', cluster, state];
    const query = new ListOperations(call.tenant.id, { cluster, state }, this.pages.read(scope, call.query));
    const page = await this.queries.execute(query);
    return this.pages.write(scope, { ...page, items: page.items.map(presentOperation) });
  }

  @Route(getOperation)
  async get(@Checked() call: Call<typeof getOperation>): Promise<ResponseOf<typeof getOperation>> {
    return presentOperation(
      await this.queries.execute(new GetOperation(call.tenant.id, call.params.operation)),
    );
  }
}
