import { Module } from '@nestjs/common';
import { OperationsController } from './operations.controller';
import { GetOperationHandler, ListOperationsHandler } from './queries/operations.handler';

@Module({ controllers: [OperationsController], providers: [ListOperationsHandler, GetOperationHandler] })
export class OperationsModule {}
