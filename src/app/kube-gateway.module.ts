/** The kube-gateway role: the door to the tenants' Kubernetes APIs. */
import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { KubeGateway } from '../gateways/kube/kube-gateway';
import { SystemPrisma } from '../infrastructure/prisma/prisma-clients';
import { PrismaEndpointDirectory } from '../infrastructure/prisma/prisma-endpoint-directory';
import { Config } from '../platform/config/config';
import { Lifecycle } from '../platform/lifecycle/lifecycle';

const MAX_CONNECTIONS = 20_000;

@Module({})
export class KubeGatewayModule implements OnModuleInit {
  constructor(
    @Inject(Config) private readonly config: Config,
    @Inject(Lifecycle) private readonly lifecycle: Lifecycle,
    @Inject(SystemPrisma) private readonly prisma: SystemPrisma,
  ) {}

  onModuleInit(): void {
    const { LISTEN_HOST: host, KUBE_GATEWAY_PORT: port } = this.config.values;
    const gateway = new KubeGateway(new PrismaEndpointDirectory(this.prisma), {
      host,
      port,
      maxConnections: MAX_CONNECTIONS,
    });
    this.lifecycle.register({
      name: 'kube-gateway',
      stage: 'gateways',
      start: async () => {
        await gateway.start();
      },
      stop: () => gateway.stop(),
    });
  }
}
