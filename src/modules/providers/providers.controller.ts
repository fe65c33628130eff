import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { PageTokens } from '../../platform/http/paging';
import { Checked, Route, type Call, type ResponseOf } from '../../platform/http/route';
import { invocationOf } from '../tenancy/invocation-of';
import { CreateJoinToken, CreateProvider } from './commands/create-provider.command';
import { createJoinToken, createProvider, listProviders, presentProvider } from './providers.schemas';
import { ListProviders } from './queries/list-providers.query';

@Controller()
export class ProvidersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly pages: PageTokens,
  ) {}

  @Route(listProviders)
  async list(@Checked() call: Call<typeof listProviders>): Promise<ResponseOf<typeof listProviders>> {
    const scope = [call.tenant.id, 'providers'];
    const page = await this.queries.execute(
      new ListProviders(call.tenant.id, this.pages.read(scope, call.query)),
    );
    return this.pages.write(scope, { ...page, items: page.items.map(presentProvider) });
  }

  @Route(createProvider)
  async create(@Checked() call: Call<typeof createProvider>): Promise<ResponseOf<typeof createProvider>> {
    const inPlatform = call.principal.isPlatform && call.tenant.id === call.principal.tenantId;
    const command = new CreateProvider(invocationOf(call), inPlatform, call.body.name, call.body.alias);
    return presentProvider(await this.commands.execute(command));
  }

  @Route(createJoinToken)
  async joinToken(
    @Checked() call: Call<typeof createJoinToken>,
  ): Promise<ResponseOf<typeof createJoinToken>> {
    const command = new CreateJoinToken(invocationOf(call), call.params.name, call.body.ttlSeconds);
    const { token, expiresAt } = await this.commands.execute(command);
    return { token, expiresAt: expiresAt.toISOString() };
  }
}
