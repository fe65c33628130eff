/** What every role stands on: configuration, database logins, secrets, metrics, lifecycle. Binds ports to adapters. */
import { Global, Inject, Module, type DynamicModule, type OnModuleInit, type Provider } from '@nestjs/common';
import { AppPrisma, SystemPrisma } from '../infrastructure/prisma/prisma-clients';
import { PrismaAuditLog } from '../infrastructure/prisma/prisma-audit-log';
import { PrismaOutbox } from '../infrastructure/prisma/prisma-outbox';
import { PrismaTenantUnitOfWork } from '../infrastructure/prisma/prisma-tenant-unit-of-work';
import { RsaKeyPool } from '../infrastructure/pki/rsa-key-pool';
import { StoredProviderCa } from '../infrastructure/pki/stored-provider-ca';
import { WrappingKey } from '../infrastructure/secrets/envelope';
import { PrismaSecretStore } from '../infrastructure/secrets/prisma-secret-store';
import { StoredClusterSecrets } from '../infrastructure/secrets/stored-cluster-secrets';
import { ProviderCa } from '../modules/providers/provider-ca';
import { AuditLog } from '../modules/tenancy/audit-log';
import { Outbox } from '../modules/tenancy/outbox';
import { TenantUnitOfWork } from '../modules/tenancy/tenant-unit-of-work';
import { Config } from '../platform/config/config';
import { HealthRegistry } from '../platform/health/health-registry';
import { Lifecycle } from '../platform/lifecycle/lifecycle';
import { Metrics } from '../platform/metrics/metrics';
import { ClusterSecrets } from '../reconcile/ports/cluster-secrets';
import { SecretStore } from '../reconcile/ports/secret-store';

const now = (): Date => new Date();

const providers: Provider[] = [
  Lifecycle,
  HealthRegistry,
  {
    provide: AppPrisma,
    inject: [Config],
    useFactory: ({ values }: Config) =>
      new AppPrisma({ url: values.DATABASE_URL, poolSize: values.DATABASE_POOL }),
  },
  {
    provide: SystemPrisma,
    inject: [Config],
    useFactory: ({ values }: Config) =>
      new SystemPrisma({ url: values.DATABASE_SYSTEM_URL, poolSize: values.DATABASE_POOL }),
  },
  {
    provide: TenantUnitOfWork,
    inject: [AppPrisma],
    useFactory: (prisma: AppPrisma) => new PrismaTenantUnitOfWork(prisma),
  },
  { provide: Outbox, useClass: PrismaOutbox },
  { provide: AuditLog, useClass: PrismaAuditLog },
  {
    provide: WrappingKey,
    inject: [Config],
    useFactory: ({ values }: Config) => new WrappingKey(Buffer.from(values.SECRETS_KEY, 'base64')),
  },
  {
    provide: SecretStore,
    inject: [SystemPrisma, WrappingKey],
    useFactory: (prisma: SystemPrisma, key: WrappingKey) => new PrismaSecretStore(prisma, key),
  },
  {
    provide: RsaKeyPool,
    inject: [Config],
    useFactory: ({ values }: Config) => new RsaKeyPool({ size: values.KEY_POOL_SIZE }),
  },
  {
    provide: ProviderCa,
    inject: [SecretStore],
    useFactory: (store: SecretStore) => new StoredProviderCa(store, now),
  },
  {
    provide: ClusterSecrets,
    inject: [SecretStore, RsaKeyPool],
    useFactory: (store: SecretStore, serviceAccountKeys: RsaKeyPool) =>
      new StoredClusterSecrets({ store, serviceAccountKeys, now }),
  },
];

@Global()
@Module({})
export class PlatformModule implements OnModuleInit {
  constructor(
    @Inject(Lifecycle) private readonly lifecycle: Lifecycle,
    @Inject(HealthRegistry) private readonly health: HealthRegistry,
    @Inject(AppPrisma) private readonly app: AppPrisma,
    @Inject(SystemPrisma) private readonly system: SystemPrisma,
    @Inject(RsaKeyPool) private readonly keys: RsaKeyPool,
  ) {}

  static withConfig(config: Config, metrics: Metrics): DynamicModule {
    const values: Provider[] = [
      { provide: Config, useValue: config },
      { provide: Metrics, useValue: metrics },
    ];
    const all = [...values, ...providers];
    return { module: PlatformModule, providers: all, exports: all };
  }

  onModuleInit(): void {
    this.health.register('database', () => this.system.$queryRaw`SELECT 1`);
    this.lifecycle.register({
      name: 'database',
      stage: 'database',
      stop: async () => {
        this.keys.close();
        await Promise.all([this.app.$disconnect(), this.system.$disconnect()]);
      },
    });
  }
}
