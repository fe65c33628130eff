/** The api role: REST, OpenAPI and the watch. */
import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { AccessModule } from '../modules/access/access.module';
import { ClustersModule } from '../modules/clusters/clusters.module';
import { EventsModule } from '../modules/events/events.module';
import { IdempotencyInterceptor } from '../modules/idempotency/idempotency.interceptor';
import { MachinesModule } from '../modules/machines/machines.module';
import { OperationsModule } from '../modules/operations/operations.module';
import { OptionsModule } from '../modules/options/options.module';
import { ProvidersModule } from '../modules/providers/providers.module';
import { TenancyModule } from '../modules/tenancy/tenancy.module';
import { WatchModule } from '../modules/watch/watch.module';
import { HttpModule } from '../platform/http/http.module';
import { ApiPortsModule } from './api-ports.module';

@Module({
  imports: [
    CqrsModule.forRoot(),
    ApiPortsModule,
    HttpModule,
    AccessModule,
    TenancyModule,
    ClustersModule,
    OperationsModule,
    EventsModule,
    MachinesModule,
    ProvidersModule,
    OptionsModule,
    WatchModule,
  ],
  providers: [{ provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor }],
})
export class ApiModule {}
