import { Injectable } from '@nestjs/common';
import { judgeHeartbeat } from '../../domain/provider/judge-heartbeat';
import { DomainError } from '../../domain/shared/errors';
import { hashToken } from '../access/api-token';
import { AuditLog } from '../tenancy/audit-log';
import { Outbox } from '../tenancy/outbox';
import { TenantUnitOfWork } from '../tenancy/tenant-unit-of-work';
import type { AgentCall } from './provider-agent';
import { ProviderAgentRepository } from './provider-agent.repository';
import { ProviderCa, type AgentCertificate } from './provider-ca';
import { ProviderDirectory } from './provider-directory';

const CONTRACT_VERSION = 'v1';

export interface Registration {
  readonly joinToken: string;
  readonly certificateRequestPem: string;
  readonly agentName: string;
  readonly softwareVersion: string;
  /** None: the agent does not say. */
  readonly contractVersions: readonly string[];
  readonly callId: string;
}

export interface RegisteredAgent extends AgentCertificate {
  readonly providerId: string;
  readonly agentId: string;
}

/** How an agent becomes known, stays known, and says that it lives. */
@Injectable()
export class AgentRegistration {
  constructor(
    private readonly directory: ProviderDirectory,
    private readonly ca: ProviderCa,
    private readonly work: TenantUnitOfWork,
    private readonly agents: ProviderAgentRepository,
    private readonly audit: AuditLog,
    private readonly outbox: Outbox,
  ) {}

  async register(registration: Registration): Promise<RegisteredAgent> {
    const {
      joinToken,
      certificateRequestPem,
      agentName: name,
      softwareVersion,
      contractVersions,
      callId: requestId,
    } = registration;
    const owner = await this.directory.findByJoinToken(hashToken(joinToken), new Date());
    if (owner === undefined) {
      throw new DomainError(
        'unauthenticated',
        'JOIN_TOKEN_INVALID',
        'the join token is not valid: it is unknown, expired or revoked',
      );
    }
    if (contractVersions.length > 0 && !contractVersions.includes(CONTRACT_VERSION)) {
      throw new DomainError(
        'refused',
        'CONTRACT_VERSION_UNSUPPORTED',
        `this server speaks ${CONTRACT_VERSION} of the provider contract, and the agent does not`,
      );
    }
    const { providerId, tenantId } = owner;
    return this.work.run(tenantId, async (tx) => {
      const agentId = await this.agents.register(tx, { providerId, name, softwareVersion });
      const certificate = await this.ca.signAgentCertificate(certificateRequestPem, providerId, agentId);
      const object = `provider/${providerId}/agent/${name}`;
      await this.audit.append(tx, {
        actor: `agent:${name}`,
        action: 'agent.register',
        object,
        outcome: 'allowed',
        requestId,
        detail: { agentId, softwareVersion },
      });
      return { ...certificate, providerId, agentId };
    });
  }

  renewCertificate({ agent }: AgentCall, certificateRequestPem: string): Promise<AgentCertificate> {
    return this.ca.signAgentCertificate(certificateRequestPem, agent.providerId, agent.agentId);
  }

  /** A provider that comes back is news for those who watch; one that is simply alive is not. */
  heartbeat({ agent }: AgentCall, softwareVersion: string): Promise<void> {
    return this.work.run(agent.tenantId, async (tx) => {
      const before = await this.agents.recordHeartbeat(tx, agent.providerId, agent.agentId, softwareVersion);
      if (judgeHeartbeat(before, new Date()) !== 'Healthy') {
        await this.outbox.append(tx, { kind: 'Provider', objectId: agent.providerId, change: 'updated' });
      }
    });
  }
}
