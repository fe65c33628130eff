import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../domain/shared/errors';
import { AuditLog } from '../audit-log';
import { Outbox } from '../outbox';
import { TenantUnitOfWork } from '../tenant-unit-of-work';
import { TokenRepository } from '../token.repository';
import { RevokeToken } from './revoke-token.command';

@CommandHandler(RevokeToken)
export class RevokeTokenHandler implements ICommandHandler<RevokeToken> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly tokens: TokenRepository,
    private readonly outbox: Outbox,
    private readonly audit: AuditLog,
  ) {}

  async execute({ invocation, name }: RevokeToken): Promise<void> {
    await this.work.run(invocation.tenantId, async (tx) => {
      const revoked = await this.tokens.revoke(tx, name, new Date());
      if (revoked === undefined) {
        throw new DomainError('not-found', 'TOKEN_NOT_FOUND', '');
      }
      if (!revoked.changed) {
        return;
      }
      await this.outbox.append(tx, { kind: 'Token', objectId: revoked.id, change: 'updated' });
      await this.audit.append(tx, {
        ...invocation,
        action: 'token.revoke',
        object: `token/${name}`,
        outcome: 'allowed',
      });
    });
  }
}
