import type { AccessRole } from '../../domain/access/roles';
import { TokenDirectory, type StoredToken } from '../../modules/access/token-directory';
import { SystemPrisma } from './prisma-clients';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly role: AccessRole;
  readonly hash: Uint8Array;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  readonly tenant_id: string;
  readonly tenant_name: string;
  readonly tenant_kind: string;
}

export class PrismaTokenDirectory extends TokenDirectory {
  constructor(private readonly prisma: SystemPrisma) {
    super();
  }

  async find(hash: Uint8Array<ArrayBuffer>): Promise<StoredToken | undefined> {
    const [row] = await this.prisma.$queryRaw<Row[]>`
      SELECT k.id, k.name, k.role, k.hash, k.expires_at, k.revoked_at, k.last_used_at,
             t.id AS tenant_id, t.name AS tenant_name, t.kind AS tenant_kind
      FROM api_tokens k JOIN tenants t ON t.id = k.tenant_id WHERE k.hash = ${hash}`;
    if (row === undefined) {
      return undefined;
    }
    return {
      principal: {
        tokenId: row.id,
        name: row.name,
        role: row.role,
        tenantId: row.tenant_id,
        tenantName: row.tenant_name,
        isPlatform: row.tenant_kind === 'platform',
      },
      hash: row.hash,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      lastUsedAt: row.last_used_at,
    };
  }

  async touch(tokenId: string, at: Date): Promise<void> {
    await this.prisma.apiToken.updateMany({ where: { id: tokenId }, data: { lastUsedAt: at } });
  }
}
