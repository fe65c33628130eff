/** A REST server that answers what the test says, and remembers what it was asked. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Operation } from './api-types';

export interface Asked {
  readonly method: string;
  /** With the query, without /api/v1/. */
  readonly path: string;
  readonly token: string;
  readonly idempotencyKey: string | undefined;
  readonly body: unknown;
}

export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  /** Closes the connection instead of answering, as a killed server does. */
  readonly hangUp?: boolean;
}

type Route = Reply | ((asked: Asked) => Reply);

export class FakeApiServer {
  readonly asked: Asked[] = [];
  private readonly routes = new Map<string, Route>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeApiServer> {
    const server = createServer();
    const fake = new FakeApiServer(server);
    server.on('request', (request, response) => {
      void fake.read(request).then((asked) => {
        const reply = fake.replyTo(asked);
        if (reply.hangUp === true) {
          response.destroy();
          return;
        }
        const status = reply.status ?? 200;
        const type = status >= 400 ? 'application/problem+json' : 'application/json';
        response.writeHead(status, { 'content-type': type, 'x-request-id': 'req-1' });
        response.end(
          reply.body === undefined
            ? ''
            : typeof reply.body === 'string'
              ? reply.body
              : JSON.stringify(reply.body),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** `GET tenants/acme/clusters`; the query does not count. */
  on(route: string, reply: Route): this {
    this.routes.set(route, reply);
    return this;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  private replyTo(asked: Asked): Reply {
    this.asked.push(asked);
    const route = this.routes.get(`${asked.method} ${asked.path.split('?')[0] ?? ''}`);
    if (route === undefined) {
      return { status: 404, body: problem(404, 'ROUTE_NOT_FOUND', 'There is no such route') };
    }
    return typeof route === 'function' ? route(asked) : route;
  }

  private async read(request: IncomingMessage): Promise<Asked> {
    let text = '';
    for await (const chunk of request as AsyncIterable<Buffer>) {
      text += chunk.toString();
    }
    const key = request.headers['idempotency-key'];
    return {
      method: request.method ?? '',
      path: (request.url ?? '').replace('/api/v1/', ''),
      token: (request.headers.authorization ?? '').replace('Bearer ', ''),
      idempotencyKey: typeof key === 'string' ? key : undefined,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    };
  }
}

export function problem(status: number, code: string, title: string, more: object = {}): object {
  return {
    type: `/problems/${code}`,
    title,
    status,
    code,
    help: '',
    requestId: 'req-1',
    retryable: false,
    ...more,
  };
}

export function fakeOperation(more: Partial<Operation> = {}): Operation {
  return {
    id: 'op-1',
    kind: 'create',
    state: 'Running',
    cluster: 'shop',
    steps: [],
    message: '',
    error: null,
    createdAt: '2026-06-01T12:00:00.000Z',
    finishedAt: null,
    ...more,
  };
}
