import { ChannelCredentials, type ServiceError } from '@grpc/grpc-js';
import { DomainError } from '../../domain/shared/errors';
import { ClusterClient, ClusterService } from '../../generated/proto/talos/discovery/discovery';
import { Discovery, type Affiliate } from '../../reconcile/ports/discovery';
import { unary } from '../talos/talos-connection';
import { openAffiliateRecord } from './affiliate-record';

export interface GrpcDiscoveryOptions {
  /** https://host[:port]/, or http:// for a service without TLS. */
  readonly url: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
/** A service that sends its clients in a circle must not keep us. */
const MAX_REDIRECTS = 3;
const CLIENT_VERSION = 'quorate';

type Call<T> = (client: ClusterClient, deadline: number) => Promise<T>;

/** Connections are short: the service is asked only when machines leave. */
export class GrpcDiscovery extends Discovery {
  constructor(private readonly options: GrpcDiscoveryOptions) {
    super();
  }

  async list(discoveryClusterId: string, secret: string): Promise<readonly Affiliate[]> {
    const { affiliates } = await this.withClient(discoveryClusterId, (client, deadline) =>
      unary(client, ClusterService.list, { clusterId: discoveryClusterId }, deadline),
    );
    return affiliates.map(({ id, data }) => ({ id, nodeId: id, ...openAffiliateRecord(data, secret) }));
  }

  async delete(discoveryClusterId: string, affiliateId: string): Promise<void> {
    const request = { clusterId: discoveryClusterId, affiliateId };
    await this.withClient(discoveryClusterId, (client, deadline) =>
      unary(client, ClusterService.affiliateDelete, request, deadline),
    );
  }

  /** Says hello first, as every client must, and goes where it is sent. */
  private async withClient<T>(clusterId: string, call: Call<T>): Promise<T> {
    const deadline = Date.now() + (this.options.timeoutMs ?? TIMEOUT_MS);
    let url = this.options.url;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const next = await this.visit(url, clusterId, deadline, call);
      if ('result' in next) {
        return next.result;
      }
      url = next.redirect;
    }
    throw unavailable('it redirects in a circle');
  }

  private async visit<T>(
    url: string,
    clusterId: string,
    deadline: number,
    call: Call<T>,
  ): Promise<{ result: T } | { redirect: string }> {
    const { target, credentials } = dial(url);
    const client = new ClusterClient(target, credentials, { 'grpc.use_local_subchannel_pool': 1 });
    try {
      const hello = { clusterId, clientVersion: CLIENT_VERSION };
      const { redirect } = await unary(client, ClusterService.hello, hello, deadline);
      return redirect !== undefined && redirect.endpoint !== ''
        ? { redirect: withScheme(redirect.endpoint, url) }
        : { result: await call(client, deadline) };
    } catch (error) {
      throw unavailable(reasonOf(error), error);
    } finally {
      client.close();
    }
  }
}

const reasonOf = (error: unknown): string => (error as Partial<ServiceError>).details ?? String(error);

/** The cluster id is a secret in this protocol: it is in no message. */
function unavailable(why: string, cause?: unknown): DomainError {
  const message = `the discovery service does not serve: ${why}`;
  return new DomainError('unavailable', 'DISCOVERY_UNAVAILABLE', message, { cause });
}

function dial(url: string): { target: string; credentials: ChannelCredentials } {
  const { protocol, hostname, port } = new URL(url);
  const isPlain = protocol === 'http:';
  return {
    target: `${hostname}:${port === '' ? (isPlain ? '80' : '443') : port}`,
    credentials: isPlain ? ChannelCredentials.createInsecure() : ChannelCredentials.createSsl(),
  };
}

/** A redirect names host:port only; it never takes the encryption away. */
function withScheme(endpoint: string, from: string): string {
  return endpoint.includes('://')
    ? endpoint.replace(/^http:/, new URL(from).protocol)
    : `${new URL(from).protocol}//${endpoint}`;
}
