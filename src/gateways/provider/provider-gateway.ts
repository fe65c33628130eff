/** The providers' door: gRPC over TLS, client certificates asked for and checked per call. */
import { experimental, Server, type ServerCredentials } from '@grpc/grpc-js';
import { ProviderServiceService } from '../../generated/proto/quorate/provider/v1/provider';
import type { CertificateWithKey } from '../../modules/providers/provider-ca';
import { createProviderService, type ProviderServiceParts } from './provider-service';

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Calls that are not answered by then are cut; agents call again elsewhere. */
const DRAIN_MS = 2_000;

/** A process may live longer than a certificate. */
const RENEW_MS = 24 * 3_600_000;

export interface ProviderGatewayOptions extends Omit<ProviderServiceParts, 'closing'> {
  readonly host: string;
  readonly port: number;
  readonly certificate: () => Promise<CertificateWithKey>;
  readonly renewMs?: number;
}

export class ProviderGateway {
  private server: Server | undefined;
  private renewal: NodeJS.Timeout | undefined;
  private readonly closing = new AbortController();

  constructor(private readonly options: ProviderGatewayOptions) {}

  /** Resolves with the port, once it listens. */
  async start(): Promise<number> {
    const { host, port, caPem, certificate } = this.options;
    const identity = new RenewedIdentity(Buffer.from(await caPem()), await certificate());
    this.renewal = setInterval(() => {
      certificate().then(
        (next) => identity.replace(next),
        (error: unknown) => this.options.onFault('the renewal of the server certificate', error),
      );
    }, this.options.renewMs ?? RENEW_MS).unref();
    const server = new Server({
      // Per connection: an agent polls once and works on a few requests; more is a mistake or an attack.
      'grpc.max_concurrent_streams': 100,
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.keepalive_time_ms': 30_000,
      'grpc.keepalive_timeout_ms': 10_000,
      'grpc.keepalive_permit_without_calls': 1,
    });
    server.addService(
      ProviderServiceService,
      createProviderService({ ...this.options, closing: this.closing.signal }),
    );
    this.server = server;
    return new Promise((resolve, reject) => {
      server.bindAsync(`${host}:${port}`, askForCertificates(identity), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (server === undefined) {
      return;
    }
    this.closing.abort();
    clearInterval(this.renewal);
    await new Promise<void>((resolve) => {
      const force = setTimeout(() => {
        server.forceShutdown();
        resolve();
      }, DRAIN_MS);
      server.tryShutdown(() => {
        clearTimeout(force);
        resolve();
      });
    });
  }
}

class RenewedIdentity implements experimental.CertificateProvider {
  private readonly listeners = new Set<experimental.IdentityCertificateUpdateListener>();

  constructor(
    private readonly caCertificate: Buffer,
    private current: CertificateWithKey,
  ) {}

  replace(next: CertificateWithKey): void {
    this.current = next;
    this.listeners.forEach((listener) => this.tell(listener));
  }

  addCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    // Later: grpc-js adds its own watcher after this call, and would not hear of it.
    setImmediate(() => listener({ caCertificate: this.caCertificate }));
  }

  removeCaCertificateListener(): void {
    // The authority never changes.
  }

  addIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.listeners.add(listener);
    setImmediate(() => this.tell(listener));
  }

  removeIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.listeners.delete(listener);
  }

  private tell(listener: experimental.IdentityCertificateUpdateListener): void {
    const { certificatePem, keyPem } = this.current;
    listener({ certificate: Buffer.from(certificatePem), privateKey: Buffer.from(keyPem) });
  }
}

/**
 * grpc-js knows "insist on a client certificate" and "do not ask"; this is the third: ask, and let the call decide. Its
 * credentials from a certificate provider have that choice.
 */
const askForCertificates = (identity: RenewedIdentity): ServerCredentials =>
  experimental.createCertificateProviderServerCredentials(identity, identity, false);
