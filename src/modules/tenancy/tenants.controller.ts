import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { PageTokens } from '../../platform/http/paging';
import { Checked, Route, type Call, type ResponseOf } from '../../platform/http/route';
import { CreateTenant } from './commands/create-tenant.command';
import { invocationOf } from './invocation-of';
import { GetTenant, ListTenants } from './queries/tenants.query';
import { createTenant, getTenant, listTenants, presentTenant } from './tenants.schemas';

@Controller()
export class TenantsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly pages: PageTokens,
  ) {}

  @Route(listTenants)
  async list(@Checked() call: Call<typeof listTenants>): Promise<ResponseOf<typeof listTenants>> {
    const scope = [call.principal.tenantId, 'tenants'];
    const page = await this.queries.execute(
      new ListTenants(call.principal, this.pages.read(scope, call.query)),
    );
    return this.pages.write(scope, { ...page, items: page.items.map(presentTenant) });
  }

  @Route(createTenant)
  async create(@Checked() call: Call<typeof createTenant>): Promise<ResponseOf<typeof createTenant>> {
    const { name, displayName } = call.body;
    await this.commands.execute(new CreateTenant(invocationOf(call), name, displayName ?? name));
    return presentTenant(await this.queries.execute(new GetTenant(name)));
  }

  @Route(getTenant)
  async get(@Checked() call: Call<typeof getTenant>): Promise<ResponseOf<typeof getTenant>> {
    return presentTenant(await this.queries.execute(new GetTenant(call.tenant.name)));
  }
}
