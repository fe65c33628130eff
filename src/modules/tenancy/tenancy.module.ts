import { Module } from '@nestjs/common';
import { BootstrapInstallationHandler } from './commands/bootstrap-installation/bootstrap-installation.handler';
import { CreateTenantHandler } from './commands/create-tenant.handler';
import { CreateTokenHandler } from './commands/create-token.handler';
import { RevokeTokenHandler } from './commands/revoke-token.handler';
import { ListTokensHandler } from './queries/list-tokens.handler';
import { GetTenantHandler, ListTenantsHandler } from './queries/tenants.handler';
import { TenantsController } from './tenants.controller';
import { TokensController } from './tokens.controller';

@Module({
  controllers: [TenantsController, TokensController],
  providers: [
    CreateTenantHandler,
    CreateTokenHandler,
    RevokeTokenHandler,
    BootstrapInstallationHandler,
    ListTenantsHandler,
    GetTenantHandler,
    ListTokensHandler,
  ],
})
export class TenancyModule {}
