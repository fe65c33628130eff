import { isIP } from 'node:net';
import { DomainError } from '../../domain/shared/errors';
import type { CertificateAndKey } from '../../domain/machine-config/secrets-bundle';
import {
  agentUri,
  ProviderCa,
  type AgentCertificate,
  type CertificateWithKey,
} from '../../modules/providers/provider-ca';
import type { SecretStore } from '../../reconcile/ports/secret-store';
import { CertificateAuthority } from './certificate-authority';

const SECRET = 'provider-ca';
const AGENT_TTL_MS = 24 * 3_600_000;
/** Renewed with the process: replicas do not live for a month. */
const SERVER_TTL_MS = 90 * 24 * 3_600_000;

export class StoredProviderCa extends ProviderCa {
  private loaded: Promise<{ pem: string; authority: CertificateAuthority }> | undefined;

  constructor(
    private readonly store: SecretStore,
    private readonly now: () => Date,
  ) {
    super();
  }

  async caPem(): Promise<string> {
    return (await this.load()).pem;
  }

  async issueServerCertificate(names: readonly string[]): Promise<CertificateWithKey> {
    const { authority } = await this.load();
    const ipAddresses = names.filter((name) => isIP(name) !== 0);
    const dnsNames = names.filter((name) => isIP(name) === 0);
    const { crt, key } = await authority.issue({
      commonName: 'quorate providers',
      dnsNames,
      ipAddresses,
      usage: 'server',
      now: this.now(),
      ttlMs: SERVER_TTL_MS,
    });
    return { certificatePem: crt, keyPem: key };
  }

  async signAgentCertificate(
    certificateRequestPem: string,
    providerId: string,
    agentId: string,
  ): Promise<AgentCertificate> {
    const { authority } = await this.load();
    const now = this.now();
    const names = { commonName: `agent ${agentId}`, uris: [agentUri(providerId, agentId)] };
    const certificatePem = await authority
      .signCsr(certificateRequestPem, { ...names, usage: 'client', now, ttlMs: AGENT_TTL_MS })
      .catch((cause: unknown) => {
        throw new DomainError(
          'invalid',
          'CERTIFICATE_REQUEST_INVALID',
          'certificate_request_pem is no PKCS#10 request signed by its own key',
          { cause },
        );
      });
    return { certificatePem, expiresAt: new Date(now.getTime() + AGENT_TTL_MS) };
  }

  /** Of replicas that start together the first one's authority wins. */
  private load(): Promise<{ pem: string; authority: CertificateAuthority }> {
    this.loaded ??= this.make().catch((error: unknown) => {
      this.loaded = undefined;
      throw error;
    });
    return this.loaded;
  }

  private async make(): Promise<{ pem: string; authority: CertificateAuthority }> {
    const stored =
      (await this.store.get(SECRET)) ??
      (await this.store.putIfAbsent(
        SECRET,
        Buffer.from(
          JSON.stringify(
            await CertificateAuthority.create({
              kind: 'p256',
              organization: 'quorate providers',
              now: this.now(),
            }),
          ),
        ),
      ));
    const pair = JSON.parse(Buffer.from(stored).toString('utf8')) as CertificateAndKey;
    return { pem: pair.crt, authority: await CertificateAuthority.load(pair) };
  }
}
