/** The providers' door: gRPC over TLS, client certificates asked for and checked per call. */
import { experimental, Server, type ServerCredentials } from '@grpc/grpc-js';
import { ProviderServiceService } from '../../generated/proto/quorate/provider/v1/provider';
import type { CertificateWithKey } from '../../modules/providers/provider-ca';
import { createProviderService, type ProviderServiceParts } from './provider-service';

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Calls that are not answered by then are cut; agents call again elsewhere. */
const DRAIN_MS = 2_000;

export interface ProviderGatewayOptions extends Omit<ProviderServiceParts, 'closing'> {
  readonly host: string;
  readonly port: number;
  readonly certificate: () => Promise<CertificateWithKey>;
}

export class ProviderGateway {
  private server: Server | undefined;
  private readonly closing = new AbortController();

  constructor(private readonly options: ProviderGatewayOptions) {}

  /** Resolves with the port, once it listens. */
  async start(): Promise<number> {
    const { host, port, caPem, certificate } = this.options;
    const credentials = askForCertificates(Buffer.from(await caPem()), await certificate());
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
      server.bindAsync(`${host}:${port}`, credentials, (error, bound) =>
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

/**
 * grpc-js knows "insist on a client certificate" and "do not ask"; this is the third: ask, and let the call decide. Its
 * credentials from a certificate provider have that choice; ours is a provider that never changes.
 */
function askForCertificates(
  caCertificate: Buffer,
  { certificatePem, keyPem }: CertificateWithKey,
): ServerCredentials {
  const identity = { certificate: Buffer.from(certificatePem), privateKey: Buffer.from(keyPem) };
  const nothing = (): void => undefined;
  const fixed: experimental.CertificateProvider = {
    // Later: grpc-js adds its own watcher after this call, and would not hear of it.
    addCaCertificateListener: (listener) => setImmediate(listener, { caCertificate }),
    removeCaCertificateListener: nothing,
    addIdentityCertificateListener: (listener) => setImmediate(listener, identity),
    removeIdentityCertificateListener: nothing,
  };
  return experimental.createCertificateProviderServerCredentials(fixed, fixed, false);
}
