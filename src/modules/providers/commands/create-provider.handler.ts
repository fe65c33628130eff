import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../domain/shared/errors';
import { Config } from '../../../platform/config/config';
import { AuditLog } from '../../tenancy/audit-log';
import { Outbox } from '../../tenancy/outbox';
import { TenantUnitOfWork } from '../../tenancy/tenant-unit-of-work';
import { TenantProviderRepository, type ProviderRow } from '../tenant-provider.repository';
import { CreateProvider } from './create-provider.command';

@CommandHandler(CreateProvider)
export class CreateProviderHandler implements ICommandHandler<CreateProvider> {
  constructor(
    private readonly config: Config,
    private readonly work: TenantUnitOfWork,
    private readonly providers: TenantProviderRepository,
    private readonly outbox: Outbox,
    private readonly audit: AuditLog,
  ) {}

  execute({ invocation, inPlatform, name, ...rest }: CreateProvider): Promise<ProviderRow> {
    const alias = rest.alias ?? null;
    if (alias !== null && !inPlatform) {
      throw new DomainError('invalid', 'PROVIDER_ALIAS_NOT_ALLOWED', '');
    }
    if (!inPlatform && !this.config.values.TENANT_PROVIDERS) {
      throw new DomainError(
        'refused',
        'TENANT_PROVIDERS_DISABLED',
        'this installation has no providers of tenants',
      );
    }
    return this.work.run(invocation.tenantId, async (tx) => {
      const created = await this.providers.create(tx, { name, alias, hidden: inPlatform });
      await this.outbox.append(tx, { kind: 'Provider', objectId: created.id, change: 'created' });
      await this.audit.append(tx, {
        ...invocation,
        action: 'provider.create',
        object: `provider/${name}`,
        outcome: 'allowed',
        detail: { alias },
      });
      return created;
    });
  }
}
