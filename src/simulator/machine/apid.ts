/**
 * The door of a machine: TLS on its port, then gRPC. TLS is terminated here and the connection handed to grpc-js,
 * because only so can the certificate change without a new server, and a wrong client fail in the handshake.
 */
import { ServerCredentials, type Server } from '@grpc/grpc-js';
import { createServer, type Server as TlsServer, type TLSSocket } from 'node:tls';
import type { KeyPairPem } from '../pki/certificates';

const DRAIN_MS = 250;
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

export interface DoorKeys extends KeyPairPem {
  /** Absent in maintenance mode: no client certificate is asked for. */
  readonly clientCas?: readonly string[];
}

export class Apid {
  private tls: TlsServer | undefined;
  private readonly sockets = new Set<TLSSocket>();
  private readonly injector: ReturnType<Server['createConnectionInjector']>;

  constructor(
    readonly port: number,
    private readonly server: Server,
  ) {
    this.injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  }

  get isOpen(): boolean {
    return this.tls !== undefined;
  }

  async open(keys: DoorKeys): Promise<void> {
    await this.close('kill');
    const tls = createServer(
      {
        ...secureContext(keys),
        requestCert: keys.clientCas !== undefined,
        rejectUnauthorized: keys.clientCas !== undefined,
        ALPNProtocols: ['h2'],
        minVersion: 'TLSv1.2',
      },
      (socket) => this.accept(socket, keys.clientCas !== undefined),
    );
    tls.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve, reject) => {
      tls.once('error', reject);
      tls.listen(this.port, '127.0.0.1', () => resolve());
    });
    this.tls = tls;
  }

  /** New keys for new connections; those that are open stay. */
  renew(keys: DoorKeys): void {
    this.tls?.setSecureContext(secureContext(keys));
  }

  /** Graceful: calls that are being answered get their answer first, for a moment. */
  async close(how: 'graceful' | 'kill'): Promise<void> {
    const { tls } = this;
    this.tls = undefined;
    if (tls === undefined) {
      return;
    }
    const closed = new Promise<void>((resolve) => tls.close(() => resolve()));
    if (how === 'graceful') {
      // Answers are written by turns of the event loop: those of the call that takes the machine down come first.
      await new Promise((resolve) => setImmediate(resolve));
      this.injector.drain(DRAIN_MS);
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())]);
    }
    for (const socket of this.sockets) {
      socket.destroy();
    }
    this.sockets.clear();
    await closed;
  }

  /** For good. */
  async dispose(): Promise<void> {
    await this.close('kill');
    this.injector.destroy();
    this.server.forceShutdown();
  }

  private accept(socket: TLSSocket, withClientCertificate: boolean): void {
    socket.on('error', () => undefined);
    if (withClientCertificate && !isClientOnly(socket)) {
      return void socket.destroy();
    }
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    this.injector.injectConnection(socket);
  }
}

/** Talos refuses a certificate that may do anything besides client authentication. */
function isClientOnly(socket: TLSSocket): boolean {
  const { ext_key_usage: usages } = socket.getPeerCertificate();
  return usages?.length === 1 && usages[0] === CLIENT_AUTH;
}

function secureContext(keys: DoorKeys): { cert: string; key: string; ca?: string[] } {
  return {
    cert: keys.certPem,
    key: keys.keyPem,
    ...(keys.clientCas === undefined ? {} : { ca: [...keys.clientCas] }),
  };
}
