import type { ProviderAgent } from './provider-agent';

export interface ProviderOwner {
  readonly providerId: string;
  readonly tenantId: string;
}

/** From what an agent shows to the tenant that its calls run in: the one look-up across tenants at this door. */
export abstract class ProviderDirectory {
  /** Undefined: no such token, or it is expired or revoked. */
  abstract findByJoinToken(hash: Uint8Array<ArrayBuffer>, now: Date): Promise<ProviderOwner | undefined>;
  /** Undefined: no such agent of that provider, or it is revoked, or another agent took its place. */
  abstract findAgent(providerId: string, agentId: string): Promise<ProviderAgent | undefined>;
}
