import { DomainError } from '../../domain/shared/errors';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { TokenRepository, type NewToken, type TokenRow } from '../../modules/tenancy/token.repository';
import { cutPage, type Page, type PageRequest } from '../../platform/http/paging';
import { newId } from '../../platform/ids';
import { clientOf } from './prisma-tenant-unit-of-work';
import { translateUnique } from './translate-unique';

export class PrismaTokenRepository extends TokenRepository {
  async list(tx: TenantTx, { size, after }: PageRequest): Promise<Page<TokenRow>> {
    const rows = await clientOf(tx).apiToken.findMany({
      where: after === undefined ? {} : { name: { gt: after[0] ?? '' } },
      orderBy: { name: 'asc' },
      take: size + 1,
    });
    return cutPage(rows as TokenRow[], size, (row) => [row.name]);
  }

  async findById(tx: TenantTx, id: string): Promise<TokenRow | undefined> {
    return ((await clientOf(tx).apiToken.findUnique({ where: { id } })) as TokenRow | null) ?? undefined;
  }

  async create(tx: TenantTx, token: NewToken): Promise<TokenRow> {
    const write = clientOf(tx).apiToken.create({ data: { id: newId(), tenantId: tx.tenantId, ...token } });
    const taken = () =>
      new DomainError('already-exists', 'TOKEN_NAME_TAKEN', `a token named ${token.name} exists`);
    return (await translateUnique(write, { api_tokens_tenant_id_name_key: taken })) as TokenRow;
  }

  async revoke(tx: TenantTx, name: string, at: Date): Promise<{ id: string; changed: boolean } | undefined> {
    const client = clientOf(tx);
    const found = await client.apiToken.findFirst({ where: { name }, select: { id: true } });
    if (found === null) {
      return undefined;
    }
    const { count } = await client.apiToken.updateMany({
      where: { id: found.id, revokedAt: null },
      data: { revokedAt: at },
    });
    return { id: found.id, changed: count > 0 };
  }
}
