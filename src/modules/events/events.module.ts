import { Module } from '@nestjs/common';
import { EventsController } from './events.controller';
import { ListEventsHandler } from './queries/list-events.handler';

@Module({ controllers: [EventsController], providers: [ListEventsHandler] })
export class EventsModule {}
