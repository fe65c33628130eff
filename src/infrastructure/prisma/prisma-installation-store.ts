import {
  InstallationStore,
  type ProviderSeed,
  type TenantSeed,
  type TokenSeed,
} from '../../modules/tenancy/commands/bootstrap-installation/installation-store';
import { newId } from '../../platform/ids';
import { SystemPrisma } from './prisma-clients';

export class PrismaInstallationStore extends InstallationStore {
  constructor(private readonly prisma: SystemPrisma) {
    super();
  }

  async ensureTenant(tenant: TenantSeed): Promise<string> {
    const { name } = tenant;
    const row = await this.prisma.tenant.upsert({
      where: { name },
      create: { id: newId(), ...tenant },
      update: {},
      select: { id: true },
    });
    return row.id;
  }

  async ensureToken(tenantId: string, { name, role, hash }: TokenSeed): Promise<void> {
    await this.prisma.apiToken.upsert({
      where: { tenantId_name: { tenantId, name } },
      create: { id: newId(), tenantId, name, role, hash },
      update: { hash, role, revokedAt: null, expiresAt: null },
    });
  }

  async ensureProvider(tenantId: string, { name, alias, hidden }: ProviderSeed): Promise<string> {
    const row = await this.prisma.provider.upsert({
      where: { tenantId_name: { tenantId, name } },
      create: { id: newId(), tenantId, name, alias, hidden },
      update: {},
      select: { id: true },
    });
    return row.id;
  }

  async ensureJoinToken(tenantId: string, providerId: string, hash: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.prisma.providerJoinToken.upsert({
      where: { hash },
      create: { id: newId(), tenantId, providerId, hash },
      update: {},
    });
  }
}
