import { Module } from '@nestjs/common';
import { CreateJoinTokenHandler } from './commands/create-join-token.handler';
import { CreateProviderHandler } from './commands/create-provider.handler';
import { ProviderCaController } from './provider-ca.controller';
import { ProvidersController } from './providers.controller';
import { ListProvidersHandler } from './queries/list-providers.handler';

@Module({
  controllers: [ProviderCaController, ProvidersController],
  providers: [CreateProviderHandler, CreateJoinTokenHandler, ListProvidersHandler],
})
export class ProvidersModule {}
