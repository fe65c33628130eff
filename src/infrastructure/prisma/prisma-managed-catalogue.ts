import { ManagedCatalogue } from '../../modules/clusters/ports/managed-catalogue';
import { SystemPrisma } from './prisma-clients';

export class PrismaManagedCatalogue extends ManagedCatalogue {
  constructor(private readonly prisma: SystemPrisma) {
    super();
  }

  async aliases(): Promise<readonly string[]> {
    const rows = await this.prisma.provider.findMany({
      where: { hidden: true, alias: { not: null } },
      orderBy: { alias: 'asc' },
      select: { alias: true },
    });
    return rows.flatMap((row) => row.alias ?? []);
  }
}
