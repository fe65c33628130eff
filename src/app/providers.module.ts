/** The providers role: the door for the agents of infrastructure providers. */
import { Inject, Logger, Module, type OnModuleInit, type Provider } from '@nestjs/common';
import { authenticateAgent } from '../gateways/provider/authenticate-agent';
import { ProviderGateway } from '../gateways/provider/provider-gateway';
import { PgProviderWorkSignal } from '../infrastructure/prisma/pg-provider-work-signal';
import { SystemPrisma } from '../infrastructure/prisma/prisma-clients';
import { PrismaMachineRequestRepository } from '../infrastructure/prisma/prisma-machine-request.repository';
import { PrismaProviderAgentRepository } from '../infrastructure/prisma/prisma-provider-agent.repository';
import { PrismaProviderDirectory } from '../infrastructure/prisma/prisma-provider-directory';
import { PrismaProviderMachineRepository } from '../infrastructure/prisma/prisma-provider-machine.repository';
import { AgentRegistration } from '../modules/providers/agent-registration';
import { AgentReports } from '../modules/providers/agent-reports';
import { AgentLeaseSettings, AgentWork } from '../modules/providers/agent-work';
import { MachineRequestRepository } from '../modules/providers/machine-request.repository';
import { ProviderAgentRepository } from '../modules/providers/provider-agent.repository';
import { ProviderCa } from '../modules/providers/provider-ca';
import { ProviderDirectory } from '../modules/providers/provider-directory';
import { ProviderMachineRepository } from '../modules/providers/provider-machine.repository';
import { ProviderWorkSignal } from '../modules/providers/provider-work-signal';
import { Config } from '../platform/config/config';
import { Lifecycle } from '../platform/lifecycle/lifecycle';

const providers: Provider[] = [
  { provide: MachineRequestRepository, useClass: PrismaMachineRequestRepository },
  { provide: ProviderAgentRepository, useClass: PrismaProviderAgentRepository },
  { provide: ProviderMachineRepository, useClass: PrismaProviderMachineRepository },
  {
    provide: ProviderDirectory,
    inject: [SystemPrisma],
    useFactory: (prisma: SystemPrisma) => new PrismaProviderDirectory(prisma),
  },
  {
    provide: PgProviderWorkSignal,
    inject: [Config],
    useFactory: ({ values }: Config) => new PgProviderWorkSignal(values.DATABASE_URL),
  },
  { provide: ProviderWorkSignal, useExisting: PgProviderWorkSignal },
  AgentLeaseSettings,
  AgentRegistration,
  AgentWork,
  AgentReports,
];

@Module({ providers })
export class ProvidersRoleModule implements OnModuleInit {
  private readonly logger = new Logger(ProviderGateway.name);

  constructor(
    @Inject(Config) private readonly config: Config,
    @Inject(Lifecycle) private readonly lifecycle: Lifecycle,
    @Inject(ProviderCa) private readonly ca: ProviderCa,
    @Inject(ProviderDirectory) private readonly directory: ProviderDirectory,
    @Inject(PgProviderWorkSignal) private readonly signal: PgProviderWorkSignal,
    @Inject(AgentRegistration) private readonly registration: AgentRegistration,
    @Inject(AgentWork) private readonly agentWork: AgentWork,
    @Inject(AgentReports) private readonly reports: AgentReports,
  ) {}

  onModuleInit(): void {
    const { ca, directory, signal, registration, agentWork, reports } = this;
    const { LISTEN_HOST: host, PROVIDER_PORT: port, PROVIDER_NAMES: names } = this.config.values;
    const gateway = new ProviderGateway({
      host,
      port,
      registration,
      agentWork,
      reports,
      caPem: () => ca.caPem(),
      certificate: () => ca.issueServerCertificate(names),
      authenticate: async (call) => authenticateAgent(call, await ca.caPem(), directory, new Date()),
      onFault: (rpc, error) => this.logger.error(`${rpc} failed`, error),
    });
    this.lifecycle.register({
      name: 'provider work signal',
      stage: 'relay',
      start: () => signal.start(),
      stop: () => signal.stop(),
    });
    this.lifecycle.register({
      name: 'provider gateway',
      stage: 'gateways',
      start: async () => {
        await gateway.start();
      },
      stop: () => gateway.stop(),
    });
  }
}
