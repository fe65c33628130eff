import {
  Channel,
  ChannelCredentials,
  type Client,
  Metadata,
  type ChannelOptions,
  type ClientReadableStream,
  type MethodDefinition,
} from '@grpc/grpc-js';
import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext, type PeerCertificate } from 'node:tls';
import { StateClient } from '../../generated/proto/talos/cosi/state';
import { MachineServiceClient } from '../../generated/proto/talos/machine/machine';

/** What Talos itself allows in both directions. */
const MESSAGE_BYTES = 32 * 1024 * 1024;

/**
 * No keepalive: Talos answers pings more frequent than every five minutes with GOAWAY. The backoff is short, since a
 * machine that comes back should be seen at once; calls have deadlines of their own.
 */
const OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': MESSAGE_BYTES,
  'grpc.max_send_message_length': MESSAGE_BYTES,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_http_proxy': 0,
};

/** PEM; the key with a label that Node reads. */
export interface ClientIdentity {
  readonly ca: string;
  readonly crt: string;
  readonly key: string;
}

/** What a call needs of the definition of a unary method in a generated service. */
export type UnaryMethod<Req, Res> = Pick<
  MethodDefinition<Req, Res>,
  'path' | 'requestSerialize' | 'responseDeserialize'
>;

/** One HTTP/2 connection to the Talos API of one machine. */
export class TalosConnection {
  readonly machine: MachineServiceClient;
  readonly state: StateClient;
  private readonly channel: Channel;

  private constructor(endpoint: string, credentials: ChannelCredentials) {
    const { host } = splitEndpoint(endpoint);
    // A server name must not be an address (RFC 6066); the identity check below looks at the dialled address instead.
    const serverName: ChannelOptions = isIP(host) === 0 ? {} : { 'grpc.ssl_target_name_override': 'talos' };
    this.channel = new Channel(endpoint, credentials, { ...OPTIONS, ...serverName });
    const shared = { channelOverride: this.channel };
    this.machine = new MachineServiceClient(endpoint, credentials, shared);
    this.state = new StateClient(endpoint, credentials, shared);
  }

  /** Mutual TLS; the server must prove with the cluster's CA that it is the address dialled. */
  static authenticated(endpoint: string, { ca, crt, key }: ClientIdentity): TalosConnection {
    const context = createSecureContext({ ca, cert: crt, key, minVersion: 'TLSv1.2' });
    const { host } = splitEndpoint(endpoint);
    const credentials = ChannelCredentials.createFromSecureContext(context, {
      checkServerIdentity: (_: string, certificate: PeerCertificate) =>
        checkServerIdentity(host, certificate),
    });
    return new TalosConnection(endpoint, credentials);
  }

  /** For maintenance mode only, where the machine makes up a certificate that nobody can verify. */
  static unauthenticated(endpoint: string): TalosConnection {
    const credentials = ChannelCredentials.createFromSecureContext(
      createSecureContext({ minVersion: 'TLSv1.2' }),
      {
        rejectUnauthorized: false,
        checkServerIdentity: () => undefined,
      },
    );
    return new TalosConnection(endpoint, credentials);
  }

  close(): void {
    this.channel.close();
  }
}

/** Rejects with grpc's ServiceError; DEADLINE_EXCEEDED past the deadline (ms since the epoch), at the latest. */
export function unary<Req, Res>(
  client: Client,
  method: UnaryMethod<Req, Res>,
  request: Req,
  deadline: number,
): Promise<Res> {
  const { path, requestSerialize, responseDeserialize } = method;
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, response?: Res): void =>
      error === null ? resolve(response as Res) : reject(error);
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      new Metadata(),
      { deadline },
      done,
    );
  });
}

/** All messages of a server stream. */
export async function collect<Res>(stream: ClientReadableStream<Res>): Promise<Res[]> {
  const messages: Res[] = [];
  for await (const message of stream) {
    messages.push(message as Res);
  }
  return messages;
}

/** host:port, the host of an IPv6 literal without brackets. */
export function splitEndpoint(endpoint: string): { host: string; port: number } {
  const at = endpoint.lastIndexOf(':');
  const host = endpoint.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(endpoint.slice(at + 1)) };
}
