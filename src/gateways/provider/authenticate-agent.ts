/** Who calls, by the client certificate that the agent was given at registration. */
import type { ServerUnaryCall } from '@grpc/grpc-js';
import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { DomainError } from '../../domain/shared/errors';
import type { ProviderAgent } from '../../modules/providers/provider-agent';
import { readAgentUri } from '../../modules/providers/provider-ca';
import type { ProviderDirectory } from '../../modules/providers/provider-directory';

type AnyCall = Pick<ServerUnaryCall<unknown, unknown>, 'getAuthContext'>;
type PeerCertificate = ReturnType<TLSSocket['getPeerCertificate']>;

/** One text for all reasons: a stranger learns nothing from it. */
const refusal = (): DomainError =>
  new DomainError(
    'unauthenticated',
    'AGENT_UNKNOWN',
    'a client certificate of this installation is needed; register with a join token',
  );

/**
 * The TLS layer asks for a certificate and does not insist, because Register works without; so the chain is checked here.
 */
export async function authenticateAgent(
  call: AnyCall,
  caPem: string,
  directory: ProviderDirectory,
  now: Date,
): Promise<ProviderAgent> {
  const presented = (call.getAuthContext() as { sslPeerCertificate?: PeerCertificate }).sslPeerCertificate;
  if (presented?.raw === undefined) {
    throw refusal();
  }
  const certificate = new X509Certificate(presented.raw);
  const ca = new X509Certificate(caPem);
  const isOurs = certificate.checkIssued(ca) && certificate.verify(ca.publicKey);
  const isCurrent = new Date(certificate.validFrom) <= now && now < new Date(certificate.validTo);
  const uris = (certificate.subjectAltName ?? '')
    .split(', ')
    .flatMap((name) => (name.startsWith('URI:') ? [name.slice(4)] : []));
  const identity = uris.length === 1 ? readAgentUri(uris[0] ?? '') : undefined;
  if (!isOurs || !isCurrent || identity === undefined) {
    throw refusal();
  }
  const agent = await directory.findAgent(identity.providerId, identity.agentId);
  if (agent === undefined) {
    throw refusal();
  }
  return agent;
}
