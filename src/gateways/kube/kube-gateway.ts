/**
 * The stable door to all tenants' Kubernetes APIs: reads the name that the client asks for (SNI) and passes the TLS stream
 * through to a control-plane machine of that cluster. It holds no key and sees no plaintext; who may do what is decided
 * by the cluster's own certificates.
 */
import { createServer, connect, type Server, type Socket } from 'node:net';
import { EndpointDirectory } from './endpoint-directory';
import { MAX_HELLO_BYTES, readServerName } from './read-server-name';

const HELLO_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 3_000;
/** Kept open watches are quiet for minutes; dead peers are found by TCP keep-alive. */
const KEEP_ALIVE_MS = 30_000;
/** TLS alert: fatal, unrecognized_name (RFC 6066). */
const UNRECOGNIZED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);
/** TLS alert: fatal, internal_error: the name is known and nobody answers behind it. */
const INTERNAL_ERROR = Buffer.from([21, 3, 3, 0, 2, 2, 80]);

export interface GatewayOptions {
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
}

export class KubeGateway {
  private server: Server | undefined;
  private readonly open = new Set<Socket>();

  constructor(
    private readonly directory: EndpointDirectory,
    private readonly options: GatewayOptions,
  ) {}

  /** Resolves with the port, once it listens. */
  async start(): Promise<number> {
    const server = createServer({ pauseOnConnect: false }, (socket) => {
      this.accept(socket);
    });
    server.maxConnections = this.options.maxConnections;
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.options.port, this.options.host, resolve);
    });
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : this.options.port;
  }

  /** Stops to accept, then cuts what is still open: clients reconnect elsewhere. */
  async stop(): Promise<void> {
    const { server } = this;
    if (server === undefined) {
      return;
    }
    const closed = new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
    });
    for (const socket of this.open) {
      socket.destroy();
    }
    await closed;
  }

  private accept(client: Socket): void {
    this.open.add(client);
    client.once('close', () => this.open.delete(client));
    client.on('error', () => client.destroy());
    client.setTimeout(HELLO_TIMEOUT_MS, () => client.destroy());
    let received = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const name = readServerName(received);
      if (name.kind === 'more' && received.length < MAX_HELLO_BYTES) {
        return;
      }
      client.off('data', onData);
      client.pause();
      client.setTimeout(0);
      if (name.kind === 'name') {
        void this.route(client, name.host, received);
      } else {
        client.destroy();
      }
    };
    client.on('data', onData);
  }

  private async route(client: Socket, host: string, hello: Buffer): Promise<void> {
    const candidates = await this.directory.resolve(host).catch(() => undefined);
    if (candidates?.length === 0) {
      client.end(UNRECOGNIZED_NAME);
      return;
    }
    for (const candidate of candidates ?? []) {
      const upstream = await dial(candidate);
      if (upstream !== undefined) {
        this.join(client, upstream, hello);
        return;
      }
    }
    client.end(INTERNAL_ERROR);
  }

  private join(client: Socket, upstream: Socket, hello: Buffer): void {
    this.open.add(upstream);
    upstream.once('close', () => {
      this.open.delete(upstream);
      client.destroy();
    });
    client.once('close', () => upstream.destroy());
    if (client.destroyed) {
      upstream.destroy();
      return;
    }
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
    }
    upstream.write(hello);
    client.pipe(upstream);
    upstream.pipe(client);
  }
}

/** A connection, or undefined: the next machine is tried. */
function dial(endpoint: string): Promise<Socket | undefined> {
  const split = endpoint.lastIndexOf(':');
  const host = endpoint.slice(0, split).replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(endpoint.slice(split + 1)) });
    const give = (result: Socket | undefined): void => {
      socket.setTimeout(0);
      if (result === undefined) {
        socket.destroy();
      }
      resolve(result);
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => {
      give(undefined);
    });
    socket.once('connect', () => {
      give(socket);
    });
    socket.on('error', () => {
      give(undefined);
    });
  });
}
