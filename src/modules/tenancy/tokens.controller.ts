import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { PageTokens } from '../../platform/http/paging';
import { Checked, Route, type Call, type ResponseOf } from '../../platform/http/route';
import { CreateToken } from './commands/create-token.command';
import { RevokeToken } from './commands/revoke-token.command';
import { invocationOf } from './invocation-of';
import { ListTokens } from './queries/list-tokens.query';
import { createToken, deleteToken, listTokens, presentToken } from './tokens.schemas';

@Controller()
export class TokensController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly pages: PageTokens,
  ) {}

  @Route(listTokens)
  async list(@Checked() call: Call<typeof listTokens>): Promise<ResponseOf<typeof listTokens>> {
    const scope = [call.tenant.id, 'tokens'];
    const page = await this.queries.execute(
      new ListTokens(call.tenant.id, this.pages.read(scope, call.query)),
    );
    return this.pages.write(scope, { ...page, items: page.items.map(presentToken) });
  }

  @Route(createToken)
  async create(@Checked() call: Call<typeof createToken>): Promise<ResponseOf<typeof createToken>> {
    const inPlatform = call.principal.isPlatform && call.tenant.id === call.principal.tenantId;
    const created = await this.commands.execute(new CreateToken(invocationOf(call), inPlatform, call.body));
    return { ...presentToken(created.row), token: created.token };
  }

  @Route(deleteToken)
  async delete(@Checked() call: Call<typeof deleteToken>): Promise<void> {
    await this.commands.execute(new RevokeToken(invocationOf(call), call.params.name));
  }
}
