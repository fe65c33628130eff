import { ProviderAgentRepository, type NewAgent } from '../../modules/providers/provider-agent.repository';
import type { TenantTx } from '../../modules/tenancy/tenant-unit-of-work';
import { newId } from '../../platform/ids';
import { clientOf } from './prisma-tenant-unit-of-work';

export class PrismaProviderAgentRepository extends ProviderAgentRepository {
  async register(tx: TenantTx, { providerId, name, softwareVersion }: NewAgent): Promise<string> {
    const id = newId();
    const { tenantId } = tx;
    const fresh = { id, softwareVersion, registeredAt: new Date(), lastHeartbeatAt: null, revokedAt: null };
    await clientOf(tx).providerAgent.upsert({
      where: { tenantId_providerId_name: { tenantId, providerId, name } },
      create: { ...fresh, tenantId, providerId, name },
      update: fresh,
    });
    return id;
  }

  async recordHeartbeat(
    tx: TenantTx,
    providerId: string,
    agentId: string,
    softwareVersion: string,
  ): Promise<Date | null> {
    const client = clientOf(tx);
    const now = new Date();
    await client.providerAgent.updateMany({
      where: { id: agentId },
      data: { lastHeartbeatAt: now, softwareVersion },
    });
    const before = await client.provider.findUnique({
      where: { id: providerId },
      select: { lastHeartbeatAt: true },
    });
    await client.provider.updateMany({ where: { id: providerId }, data: { lastHeartbeatAt: now } });
    return before?.lastHeartbeatAt ?? null;
  }
}
