import type { TenantTx } from '../tenancy/tenant-unit-of-work';

export interface NewAgent {
  readonly providerId: string;
  readonly name: string;
  readonly softwareVersion: string;
}

/** The running agents of a provider, as they report themselves. */
export abstract class ProviderAgentRepository {
  /** The new agent's id. One of the same name gives up its place: its id, and so its certificate, is known no more. */
  abstract register(tx: TenantTx, agent: NewAgent): Promise<string>;
  /** The provider's last heartbeat before this one. */
  abstract recordHeartbeat(
    tx: TenantTx,
    providerId: string,
    agentId: string,
    softwareVersion: string,
  ): Promise<Date | null>;
}
