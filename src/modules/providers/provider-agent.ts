/** Who calls: an agent whose client certificate was checked, in the tenant that owns its provider. */
export interface ProviderAgent {
  readonly agentId: string;
  readonly agentName: string;
  readonly providerId: string;
  readonly tenantId: string;
  /** The provider belongs to the platform, so its patches are trusted further than those of tenants. */
  readonly ofPlatform: boolean;
}

/** One call of an agent, as it is audited. */
export interface AgentCall {
  readonly agent: ProviderAgent;
  readonly callId: string;
}
