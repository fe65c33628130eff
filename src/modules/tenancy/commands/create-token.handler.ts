import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { isPlatformRole } from '../../../domain/access/roles';
import { DomainError } from '../../../domain/shared/errors';
import { hashToken, newApiToken } from '../../access/api-token';
import { AuditLog } from '../audit-log';
import { Outbox } from '../outbox';
import { TenantUnitOfWork } from '../tenant-unit-of-work';
import { TokenRepository, type TokenRow } from '../token.repository';
import { CreateToken } from './create-token.command';

@CommandHandler(CreateToken)
export class CreateTokenHandler implements ICommandHandler<CreateToken> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly tokens: TokenRepository,
    private readonly outbox: Outbox,
    private readonly audit: AuditLog,
  ) {}

  async execute({ invocation, inPlatform, request }: CreateToken): Promise<{ row: TokenRow; token: string }> {
    const { name, role, ttlSeconds } = request;
    if (isPlatformRole(role) !== inPlatform) {
      throw new DomainError(
        'invalid',
        'TOKEN_ROLE_INVALID',
        `the role ${role} does not exist in this tenant`,
      );
    }
    const token = newApiToken();
    const expiresAt = ttlSeconds === undefined ? null : new Date(Date.now() + ttlSeconds * 1000);
    const row = await this.work.run(invocation.tenantId, async (tx) => {
      const created = await this.tokens.create(tx, { name, role, hash: hashToken(token), expiresAt });
      await this.outbox.append(tx, { kind: 'Token', objectId: created.id, change: 'created' });
      const detail = { role, expiresAt: expiresAt?.toISOString() ?? null };
      await this.audit.append(tx, {
        ...invocation,
        action: 'token.create',
        object: `token/${name}`,
        outcome: 'allowed',
        detail,
      });
      return created;
    });
    return { row, token };
  }
}
