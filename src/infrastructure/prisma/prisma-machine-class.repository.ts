import { DomainError } from '../../domain/shared/errors';
import type { MachineShape } from '../../domain/tiers/size-tiers';
import { MachineClassRepository, type MachineClassRow } from '../../modules/machines/machine.repository';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { cutPage, type Page, type PageRequest } from '../../platform/http/paging';
import { newId } from '../../platform/ids';
import type { MachineClass } from '../../generated/prisma/client';
import { clientOf } from './prisma-tenant-unit-of-work';
import { translateUnique } from './translate-unique';

export class PrismaMachineClassRepository extends MachineClassRepository {
  async list(tx: TenantTx, { size, after }: PageRequest): Promise<Page<MachineClassRow>> {
    const rows = await clientOf(tx).machineClass.findMany({
      where: after === undefined ? {} : { name: { gt: after[0] ?? '' } },
      orderBy: { name: 'asc' },
      take: size + 1,
    });
    return cutPage(await this.named(tx, rows), size, (row) => [row.name]);
  }

  async findById(tx: TenantTx, id: string): Promise<MachineClassRow | undefined> {
    const row = await clientOf(tx).machineClass.findUnique({ where: { id } });
    return row === null ? undefined : (await this.named(tx, [row]))[0];
  }

  async create(
    tx: TenantTx,
    {
      name,
      provider,
      shape,
    }: { readonly name: string; readonly provider: string; readonly shape: MachineShape },
  ): Promise<MachineClassRow> {
    const found = await clientOf(tx).provider.findFirst({ where: { name: provider }, select: { id: true } });
    if (found === null) {
      throw new DomainError('not-found', 'PROVIDER_NOT_FOUND', `there is no provider ${provider}`);
    }
    const data = { id: newId(), tenantId: tx.tenantId, name, providerId: found.id, shape: { ...shape } };
    const taken = () =>
      new DomainError('already-exists', 'MACHINE_CLASS_NAME_TAKEN', `a machine class named ${name} exists`);
    const row = await translateUnique(clientOf(tx).machineClass.create({ data }), {
      machine_classes_tenant_id_name_key: taken,
    });
    return toRow(row, provider);
  }

  async remove(tx: TenantTx, name: string): Promise<string> {
    const client = clientOf(tx);
    const found = await client.machineClass.findFirst({ where: { name }, select: { id: true } });
    if (found === null) {
      throw new DomainError('not-found', 'MACHINE_CLASS_NOT_FOUND', '');
    }
    const where = { sourceKind: 'class', source: { path: ['className'], equals: name } };
    if ((await client.machineSet.findFirst({ where, select: { id: true } })) !== null) {
      throw new DomainError('refused', 'MACHINE_CLASS_IN_USE', `machine class ${name} is named by a cluster`);
    }
    await client.machineClass.delete({ where: { id: found.id } });
    return found.id;
  }

  private async named(tx: TenantTx, rows: readonly MachineClass[]): Promise<MachineClassRow[]> {
    const ids = [...new Set(rows.map((row) => row.providerId))];
    const providers = await clientOf(tx).provider.findMany({
      where: { id: { in: ids } },
      select: { id: true, name: true },
    });
    const names = new Map(providers.map((row) => [row.id, row.name]));
    return rows.map((row) => toRow(row, names.get(row.providerId) ?? ''));
  }
}

function toRow(row: MachineClass, providerName: string): MachineClassRow {
  const { id, name, createdAt } = row;
  return { id, name, providerName, shape: row.shape as unknown as MachineShape, createdAt };
}
