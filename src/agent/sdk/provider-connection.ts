/** One channel to the server; every call on it has a deadline and can be aborted. */
import { Client, credentials, Metadata, status, type ChannelOptions, type ServiceError } from '@grpc/grpc-js';
import { reasonOf } from './wait';

/** A server that comes back should be found at once; a peer that vanished without a word, within a minute. */
const OPTIONS: ChannelOptions = {
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_http_proxy': 0,
};

/** A method of the generated service. */
export interface Method<Req, Res> {
  readonly path: string;
  readonly requestSerialize: (value: Req) => Buffer;
  readonly responseDeserialize: (value: Buffer) => Res;
}

export interface CallLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ClientKey {
  readonly keyPem: string;
  readonly certificatePem: string;
}

export class ProviderConnection {
  private readonly client: Client;
  private calls = 0;
  private isRetired = false;

  /** Without a key only `Register` is answered. */
  constructor(endpoint: string, caPem: string, key?: ClientKey) {
    const ca = Buffer.from(caPem);
    const secure =
      key === undefined
        ? credentials.createSsl(ca)
        : credentials.createSsl(ca, Buffer.from(key.keyPem), Buffer.from(key.certificatePem));
    this.client = new Client(endpoint, secure, OPTIONS);
  }

  /** Rejects with grpc's ServiceError, or with the signal's reason. */
  async call<Req, Res>(method: Method<Req, Res>, request: Req, limits: CallLimits): Promise<Res> {
    this.calls += 1;
    try {
      return await this.unary(method, request, limits);
    } finally {
      this.calls -= 1;
      this.closeWhenUnused();
    }
  }

  /** Closes when the calls under way have ended. */
  retire(): void {
    this.isRetired = true;
    this.closeWhenUnused();
  }

  private unary<Req, Res>(method: Method<Req, Res>, request: Req, limits: CallLimits): Promise<Res> {
    const { timeoutMs, signal } = limits;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(reasonOf(signal));
        return;
      }
      const deadline = Date.now() + timeoutMs;
      const { path, requestSerialize, responseDeserialize } = method;
      const done = (error: ServiceError | null, response?: Res): void => {
        signal.removeEventListener('abort', cancel);
        if (error === null) {
          resolve(response as Res);
        } else {
          reject(signal.aborted ? reasonOf(signal) : error);
        }
      };
      const call = this.client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new Metadata(),
        { deadline },
        done,
      );
      const cancel = (): void => {
        call.cancel();
      };
      signal.addEventListener('abort', cancel);
    });
  }

  private closeWhenUnused(): void {
    if (this.isRetired && this.calls === 0) {
      this.client.close();
    }
  }
}

/** Undefined for what is no answer of a call. */
export function statusOf(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? code : undefined;
}

/** The server's own words, without the code in front. */
export function wordsOf(error: unknown): string {
  if (error instanceof Error) {
    return 'details' in error && typeof error.details === 'string' ? error.details : error.message;
  }
  return String(error);
}

/** Nothing is wrong with the call itself: the same may succeed later. */
export function isPassing(error: unknown): boolean {
  switch (statusOf(error)) {
    case status.UNAVAILABLE:
    case status.DEADLINE_EXCEEDED:
    case status.CANCELLED:
    case status.INTERNAL:
    case status.UNKNOWN:
    case status.ABORTED:
    case status.RESOURCE_EXHAUSTED:
    case status.UNAUTHENTICATED: // the session gets a new certificate meanwhile
      return true;
    default:
      return false;
  }
}
