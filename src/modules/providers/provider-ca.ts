export interface CertificateWithKey {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface AgentCertificate {
  readonly certificatePem: string;
  readonly expiresAt: Date;
}

/** The authority of the providers' door: made at the first use, the same for all replicas, and never leaves the server. */
export abstract class ProviderCa {
  /** Root of the server's and the agents' certificates, PEM; public. */
  abstract caPem(): Promise<string>;
  /** `names`: DNS names and IP addresses. */
  abstract issueServerCertificate(names: readonly string[]): Promise<CertificateWithKey>;
  /**
   * The URI name alone says who it is; nothing of the request but its key is used.
   * @throws DomainError `invalid` when the request does not parse or is not signed by its own key.
   */
  abstract signAgentCertificate(
    certificateRequestPem: string,
    providerId: string,
    agentId: string,
  ): Promise<AgentCertificate>;
}

/** SPIFFE id of an agent, in its client certificate. */
export function agentUri(providerId: string, agentId: string): string {
  return `spiffe://quorate/provider/${providerId}/agent/${agentId}`;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const AGENT_URI = new RegExp(`^spiffe://quorate/provider/(${UUID})/agent/(${UUID})$`);

export function readAgentUri(
  uri: string,
): { readonly providerId: string; readonly agentId: string } | undefined {
  const [, providerId, agentId] = AGENT_URI.exec(uri) ?? [];
  return providerId === undefined || agentId === undefined ? undefined : { providerId, agentId };
}
