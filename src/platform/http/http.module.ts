import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import { AnswerInterceptor } from './answer';
import { OpenApiController } from './openapi.controller';
import { ProblemFilter } from './problem.filter';
import { RouteRegistry } from './route-registry';

@Module({
  controllers: [OpenApiController],
  providers: [
    RouteRegistry,
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_INTERCEPTOR, useClass: AnswerInterceptor },
  ],
  exports: [RouteRegistry],
})
export class HttpModule {}
