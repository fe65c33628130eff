import { DomainError } from '../../domain/shared/errors';
import {
  TenantProviderRepository,
  type NewProvider,
  type ProviderRow,
} from '../../modules/providers/tenant-provider.repository';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { cutPage, type Page, type PageRequest } from '../../platform/http/paging';
import { newId } from '../../platform/ids';
import { clientOf } from './prisma-tenant-unit-of-work';
import { translateUnique } from './translate-unique';

export class PrismaTenantProviderRepository extends TenantProviderRepository {
  async list(tx: TenantTx, { size, after }: PageRequest): Promise<Page<ProviderRow>> {
    const rows = await clientOf(tx).provider.findMany({
      where: after === undefined ? {} : { name: { gt: after[0] ?? '' } },
      orderBy: { name: 'asc' },
      take: size + 1,
    });
    return cutPage(rows, size, (row) => [row.name]);
  }

  async find(tx: TenantTx, name: string): Promise<ProviderRow | undefined> {
    return (await clientOf(tx).provider.findFirst({ where: { name } })) ?? undefined;
  }

  async findById(tx: TenantTx, id: string): Promise<ProviderRow | undefined> {
    return (await clientOf(tx).provider.findUnique({ where: { id } })) ?? undefined;
  }

  async create(tx: TenantTx, provider: NewProvider): Promise<ProviderRow> {
    const write = clientOf(tx).provider.create({ data: { id: newId(), tenantId: tx.tenantId, ...provider } });
    return translateUnique(write, {
      providers_tenant_id_name_key: () =>
        new DomainError('already-exists', 'PROVIDER_NAME_TAKEN', `a provider named ${provider.name} exists`),
      providers_alias_key: () =>
        new DomainError(
          'already-exists',
          'PROVIDER_ALIAS_TAKEN',
          `the alias ${provider.alias ?? ''} is taken`,
        ),
    });
  }

  async addJoinToken(
    tx: TenantTx,
    providerId: string,
    hash: Uint8Array<ArrayBuffer>,
    expiresAt: Date | null,
  ): Promise<void> {
    await clientOf(tx).providerJoinToken.create({
      data: { id: newId(), tenantId: tx.tenantId, providerId, hash, expiresAt },
    });
  }
}
