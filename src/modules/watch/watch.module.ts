import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { WatchHub } from './watch-hub';
import { WatchController } from './watch.controller';
import { WatchedObjects } from './watched-kinds';

@Module({ imports: [AccessModule], controllers: [WatchController], providers: [WatchHub, WatchedObjects] })
export class WatchModule {}
