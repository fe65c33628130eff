import { DomainError } from '../../domain/shared/errors';
import { TenantDirectory, type TenantRow } from '../../modules/tenancy/tenant-directory';
import { cutPage, type Page, type PageRequest } from '../../platform/http/paging';
import { newId } from '../../platform/ids';
import { SystemPrisma } from './prisma-clients';
import { translateUnique } from './translate-unique';

export class PrismaTenantDirectory extends TenantDirectory {
  constructor(private readonly prisma: SystemPrisma) {
    super();
  }

  async find(name: string): Promise<TenantRow | undefined> {
    return ((await this.prisma.tenant.findUnique({ where: { name } })) as TenantRow | null) ?? undefined;
  }

  async list({ size, after }: PageRequest): Promise<Page<TenantRow>> {
    const rows = await this.prisma.tenant.findMany({
      where: { kind: 'tenant', ...(after === undefined ? {} : { name: { gt: after[0] ?? '' } }) },
      orderBy: { name: 'asc' },
      take: size + 1,
    });
    return cutPage(rows as TenantRow[], size, (row) => [row.name]);
  }

  async create({
    name,
    displayName,
  }: {
    readonly name: string;
    readonly displayName: string;
  }): Promise<TenantRow> {
    const write = this.prisma.tenant.create({ data: { id: newId(), name, displayName } });
    const taken = () =>
      new DomainError('already-exists', 'TENANT_NAME_TAKEN', `a tenant named ${name} exists`);
    return (await translateUnique(write, { tenants_name_key: taken })) as TenantRow;
  }
}
