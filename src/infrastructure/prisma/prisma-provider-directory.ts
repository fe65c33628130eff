import type { ProviderAgent } from '../../modules/providers/provider-agent';
import { ProviderDirectory, type ProviderOwner } from '../../modules/providers/provider-directory';
import type { SystemPrisma } from './prisma-clients';

export class PrismaProviderDirectory extends ProviderDirectory {
  constructor(private readonly prisma: SystemPrisma) {
    super();
  }

  async findByJoinToken(hash: Uint8Array<ArrayBuffer>, now: Date): Promise<ProviderOwner | undefined> {
    const token = await this.prisma.providerJoinToken.findUnique({ where: { hash } });
    const isUsable =
      token !== null && token.revokedAt === null && (token.expiresAt === null || token.expiresAt > now);
    return isUsable ? { providerId: token.providerId, tenantId: token.tenantId } : undefined;
  }

  async findAgent(providerId: string, agentId: string): Promise<ProviderAgent | undefined> {
    const agent = await this.prisma.providerAgent.findUnique({ where: { id: agentId } });
    if (agent?.providerId !== providerId || agent.revokedAt !== null) {
      return undefined;
    }
    const owner = await this.prisma.tenant.findUnique({
      where: { id: agent.tenantId },
      select: { kind: true },
    });
    const { name: agentName, tenantId } = agent;
    return { agentId, agentName, providerId, tenantId, ofPlatform: owner?.kind === 'platform' };
  }
}
