import { Module } from '@nestjs/common';
import { OptionsController } from './options.controller';
import { GetOptionsHandler } from './queries/get-options.handler';

@Module({ controllers: [OptionsController], providers: [GetOptionsHandler] })
export class OptionsModule {}
