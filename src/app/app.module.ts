/** The composition root: the roles that the configuration names, on one platform. */
import { Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '../platform/config/config';
import type { Metrics } from '../platform/metrics/metrics';
import { ApiModule } from './api.module';
import { KubeGatewayModule } from './kube-gateway.module';
import { PlatformModule } from './platform.module';
import { ProvidersRoleModule } from './providers.module';
import { WorkerModule } from './worker.module';

const ROLE_MODULES = {
  api: ApiModule,
  providers: ProvidersRoleModule,
  worker: WorkerModule,
  'kube-gateway': KubeGatewayModule,
} as const;

@Module({})
export class AppModule {
  static forRoles(config: Config, metrics: Metrics): DynamicModule {
    const roles = config.values.ROLES.map((role) => ROLE_MODULES[role]);
    return { module: AppModule, imports: [PlatformModule.withConfig(config, metrics), ...roles] };
  }
}
