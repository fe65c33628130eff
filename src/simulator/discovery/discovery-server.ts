/** The discovery service over gRPC (plaintext HTTP/2), with the rate limit of the public one. */
import { Server, ServerCredentials, status, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import { ClusterService, type ClusterServer } from '../../generated/proto/talos/discovery/discovery';
import { RegistryRefused, type AffiliateRegistry } from './affiliate-registry';

const RATE_PER_SECOND = 15;
const BURST = 60;
const COLLECT_MS = 60_000;

/** Token bucket per caller: calls wait their turn, as at the public service. */
class RateLimit {
  private readonly callers = new Map<string, { tokens: number; at: number }>();

  waitMs(caller: string, now: number): number {
    const bucket = this.callers.get(caller) ?? { tokens: BURST, at: now };
    bucket.tokens = Math.min(BURST, bucket.tokens + ((now - bucket.at) / 1000) * RATE_PER_SECOND) - 1;
    bucket.at = now;
    this.callers.set(caller, bucket);
    return bucket.tokens >= 0 ? 0 : (-bucket.tokens / RATE_PER_SECOND) * 1000;
  }
}

export interface RunningDiscovery {
  readonly port: number;
  close(): Promise<void>;
}

export async function startDiscovery(
  registry: AffiliateRegistry,
  port: number,
  limited: boolean,
): Promise<RunningDiscovery> {
  const server = new Server();
  server.addService(ClusterService, implementation(registry, limited ? new RateLimit() : undefined));
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, actual) =>
      error === null ? resolve(actual) : reject(error),
    );
  });
  const collector = setInterval(() => registry.collect(), COLLECT_MS);
  collector.unref();
  return {
    port: bound,
    close: async () => {
      clearInterval(collector);
      server.forceShutdown();
    },
  };
}

function implementation(registry: AffiliateRegistry, limit: RateLimit | undefined): ClusterServer {
  const serve =
    <Request, Response>(answer: (request: Request, call: ServerUnaryCall<Request, Response>) => Response) =>
    (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>): void => {
      const wait = limit?.waitMs(callerAddress(call.getPeer()), Date.now()) ?? 0;
      const deadline = call.getDeadline();
      if (typeof deadline === 'number' && Date.now() + wait > deadline) {
        callback({ code: status.RESOURCE_EXHAUSTED, details: 'rate limit exceeded' });
        return;
      }
      const respond = (): void => {
        try {
          callback(null, answer(call.request, call));
        } catch (error) {
          const code = error instanceof RegistryRefused ? error.code : status.INTERNAL;
          callback({ code, details: error instanceof Error ? error.message : 'internal error' });
        }
      };
      if (wait > 0) {
        setTimeout(respond, wait);
      } else {
        respond();
      }
    };
  return {
    hello: serve((request, call) => {
      registry.list(request.clusterId); // checks the id
      return {
        redirect: undefined,
        clientIp: Buffer.from(callerAddress(call.getPeer()).split('.').map(Number)),
      };
    }),
    affiliateUpdate: serve((request) => {
      registry.update({
        clusterId: request.clusterId,
        affiliateId: request.affiliateId,
        ...(request.affiliateData === undefined ? {} : { data: request.affiliateData }),
        endpoints: request.affiliateEndpoints,
        ttlMs: Number(request.ttl?.seconds ?? 0) * 1000 + (request.ttl?.nanos ?? 0) / 1e6,
      });
      return {};
    }),
    affiliateDelete: serve((request) => {
      registry.delete(request.clusterId, request.affiliateId);
      return {};
    }),
    list: serve((request) => ({ affiliates: registry.list(request.clusterId) })),
  };
}

function callerAddress(peer: string): string {
  return peer.replace(/:\d+$/, '').replace(/^::ffff:/, '');
}
