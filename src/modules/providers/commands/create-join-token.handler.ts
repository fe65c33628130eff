import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { randomBytes } from 'node:crypto';
import { DomainError } from '../../../domain/shared/errors';
import { hashToken } from '../../access/api-token';
import { AuditLog } from '../../tenancy/audit-log';
import { TenantUnitOfWork } from '../../tenancy/tenant-unit-of-work';
import { TenantProviderRepository } from '../tenant-provider.repository';
import { CreateJoinToken } from './create-provider.command';

@CommandHandler(CreateJoinToken)
export class CreateJoinTokenHandler implements ICommandHandler<CreateJoinToken> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly providers: TenantProviderRepository,
    private readonly audit: AuditLog,
  ) {}

  async execute({
    invocation,
    provider: name,
    ttlSeconds,
  }: CreateJoinToken): Promise<{ token: string; expiresAt: Date }> {
    const token = `qj_${randomBytes(32).toString('base64url')}`;
    const expiresAt = new Date(Date.now() + ttlSeconds * 1000);
    await this.work.run(invocation.tenantId, async (tx) => {
      const provider = await this.providers.find(tx, name);
      if (provider === undefined) {
        throw new DomainError('not-found', 'PROVIDER_NOT_FOUND', '');
      }
      await this.providers.addJoinToken(tx, provider.id, hashToken(token), expiresAt);
      const detail = { expiresAt: expiresAt.toISOString() };
      await this.audit.append(tx, {
        ...invocation,
        action: 'join-token.create',
        object: `provider/${name}`,
        outcome: 'allowed',
        detail,
      });
    });
    return { token, expiresAt };
  }
}
