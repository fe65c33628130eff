import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access.guard';
import { Authenticator } from './authenticator';

@Module({
  providers: [Authenticator, { provide: APP_GUARD, useClass: AccessGuard }],
  exports: [Authenticator],
})
export class AccessModule {}
