/** Binds the ports of the REST contexts to their adapters. */
import { Global, Inject, Module, type Abstract, type OnModuleInit, type Provider } from '@nestjs/common';
import { BundleKubeconfigIssuer } from '../infrastructure/kubernetes/bundle-kubeconfig-issuer';
import { PgChangeSignal } from '../infrastructure/prisma/pg-change-signal';
import { PrismaChangeFeed } from '../infrastructure/prisma/prisma-change-feed';
import { SystemPrisma } from '../infrastructure/prisma/prisma-clients';
import { PrismaClusterRepository } from '../infrastructure/prisma/prisma-cluster.repository';
import { PrismaEventRepository } from '../infrastructure/prisma/prisma-event.repository';
import { PrismaIdempotencyStore } from '../infrastructure/prisma/prisma-idempotency-store';
import { PrismaInstallationStore } from '../infrastructure/prisma/prisma-installation-store';
import { PrismaMachineClassRepository } from '../infrastructure/prisma/prisma-machine-class.repository';
import { PrismaMachineRepository } from '../infrastructure/prisma/prisma-machine.repository';
import { PrismaManagedCatalogue } from '../infrastructure/prisma/prisma-managed-catalogue';
import { PrismaOperationRepository } from '../infrastructure/prisma/prisma-operation.repository';
import { PrismaTenantDirectory } from '../infrastructure/prisma/prisma-tenant-directory';
import { PrismaTenantProviderRepository } from '../infrastructure/prisma/prisma-tenant-provider.repository';
import { PrismaTokenDirectory } from '../infrastructure/prisma/prisma-token-directory';
import { PrismaTokenRepository } from '../infrastructure/prisma/prisma-token.repository';
import { TokenDirectory } from '../modules/access/token-directory';
import { ClusterRepository } from '../modules/clusters/cluster.repository';
import { DomainTemplateCompiler } from '../modules/clusters/domain-template-compiler';
import { KubeconfigIssuer } from '../modules/clusters/ports/kubeconfig-issuer';
import { ManagedCatalogue } from '../modules/clusters/ports/managed-catalogue';
import { TemplateCompiler } from '../modules/clusters/ports/template-compiler';
import { EventRepository } from '../modules/events/event.repository';
import { IdempotencyStore } from '../modules/idempotency/idempotency-store';
import { MachineClassRepository, MachineRepository } from '../modules/machines/machine.repository';
import { OperationRepository } from '../modules/operations/operation.repository';
import { TenantProviderRepository } from '../modules/providers/tenant-provider.repository';
import { InstallationStore } from '../modules/tenancy/commands/bootstrap-installation/installation-store';
import { TenantDirectory } from '../modules/tenancy/tenant-directory';
import { TokenRepository } from '../modules/tenancy/token.repository';
import { ChangeFeed, ChangeSignal } from '../modules/watch/change-feed';
import { Config } from '../platform/config/config';
import { DerivedKeys } from '../platform/http/derived-keys';
import { PageTokens } from '../platform/http/paging';
import { Lifecycle } from '../platform/lifecycle/lifecycle';
import { ClusterSecrets } from '../reconcile/ports/cluster-secrets';

/** In the caller's tenant transaction. */
const inTenant: Provider[] = [
  { provide: ClusterRepository, useClass: PrismaClusterRepository },
  { provide: OperationRepository, useClass: PrismaOperationRepository },
  { provide: EventRepository, useClass: PrismaEventRepository },
  { provide: MachineRepository, useClass: PrismaMachineRepository },
  { provide: MachineClassRepository, useClass: PrismaMachineClassRepository },
  { provide: TenantProviderRepository, useClass: PrismaTenantProviderRepository },
  { provide: TokenRepository, useClass: PrismaTokenRepository },
  { provide: IdempotencyStore, useClass: PrismaIdempotencyStore },
];

const system = <T>(provide: Abstract<T>, make: (prisma: SystemPrisma) => T): Provider => ({
  provide,
  inject: [SystemPrisma],
  useFactory: make,
});

/** Across tenants; each port says why. */
const acrossTenants: Provider[] = [
  system(TenantDirectory, (prisma) => new PrismaTenantDirectory(prisma)),
  system(TokenDirectory, (prisma) => new PrismaTokenDirectory(prisma)),
  system(ManagedCatalogue, (prisma) => new PrismaManagedCatalogue(prisma)),
  system(InstallationStore, (prisma) => new PrismaInstallationStore(prisma)),
];

const watch: Provider[] = [
  { provide: ChangeFeed, useClass: PrismaChangeFeed },
  {
    provide: PgChangeSignal,
    inject: [Config],
    useFactory: ({ values }: Config) => new PgChangeSignal(values.DATABASE_URL),
  },
  { provide: ChangeSignal, useExisting: PgChangeSignal },
];

const door: Provider[] = [
  {
    provide: DerivedKeys,
    inject: [Config],
    useFactory: ({ values }: Config) => new DerivedKeys(values.SECRETS_KEY),
  },
  { provide: PageTokens, inject: [DerivedKeys], useFactory: (keys: DerivedKeys) => new PageTokens(keys) },
  { provide: TemplateCompiler, useClass: DomainTemplateCompiler },
  {
    provide: KubeconfigIssuer,
    inject: [ClusterSecrets, Config],
    useFactory: (secrets: ClusterSecrets, { values }: Config) =>
      new BundleKubeconfigIssuer({
        secrets,
        gatewayAddress: values.KUBE_GATEWAY_ADDRESS,
        now: () => new Date(),
      }),
  },
];

const all = [...inTenant, ...acrossTenants, ...watch, ...door];

@Global()
@Module({ providers: all, exports: all })
export class ApiPortsModule implements OnModuleInit {
  constructor(
    @Inject(Lifecycle) private readonly lifecycle: Lifecycle,
    @Inject(PgChangeSignal) private readonly signal: PgChangeSignal,
  ) {}

  onModuleInit(): void {
    const { signal } = this;
    this.lifecycle.register({
      name: 'watch signal',
      stage: 'gateways',
      start: () => signal.start(),
      stop: () => signal.stop(),
    });
  }
}
