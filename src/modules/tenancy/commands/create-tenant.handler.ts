import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AuditLog } from '../audit-log';
import { TenantDirectory } from '../tenant-directory';
import { TenantUnitOfWork } from '../tenant-unit-of-work';
import { CreateTenant } from './create-tenant.command';

@CommandHandler(CreateTenant)
export class CreateTenantHandler implements ICommandHandler<CreateTenant> {
  constructor(
    private readonly tenants: TenantDirectory,
    private readonly work: TenantUnitOfWork,
    private readonly audit: AuditLog,
  ) {}

  async execute({ invocation, name, displayName }: CreateTenant): Promise<{ readonly id: string }> {
    const { id } = await this.tenants.create({ name, displayName });
    // Two trails: the platform's, who created it; and the first row of the tenant's own.
    for (const tenantId of [invocation.tenantId, id]) {
      await this.work.run(tenantId, (tx) =>
        this.audit.append(tx, {
          ...invocation,
          action: 'tenant.create',
          object: `tenant/${name}`,
          outcome: 'allowed',
        }),
      );
    }
    return { id };
  }
}
