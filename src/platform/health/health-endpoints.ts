/** /healthz, /readyz and /metrics: the same answers from the API's server and from the small one of other roles. */
import { createServer, type Server } from 'node:http';
import type { HealthRegistry } from './health-registry';

export interface HealthAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface HealthSources {
  readonly health: HealthRegistry;
  /** The process's metrics in Prometheus's text form. */
  readonly metrics: () => Promise<string>;
}

export const HEALTH_PATHS = ['/healthz', '/readyz', '/metrics'] as const;
export type HealthPath = (typeof HEALTH_PATHS)[number];

const isHealthPath = (path: string): path is HealthPath => (HEALTH_PATHS as readonly string[]).includes(path);

const json = (status: number, value: unknown): HealthAnswer => ({
  status,
  contentType: 'application/json; charset=utf-8',
  body: `${JSON.stringify(value)}\n`,
});

export async function answerHealth(
  path: HealthPath,
  { health, metrics }: HealthSources,
): Promise<HealthAnswer> {
  switch (path) {
    case '/healthz':
      return json(200, { status: 'ok' }); // answering is the check
    case '/readyz': {
      const readiness = await health.readiness();
      return json(readiness.ready ? 200 : 503, readiness);
    }
    case '/metrics':
      return { status: 200, contentType: 'text/plain; version=0.0.4; charset=utf-8', body: await metrics() };
  }
}

/** Serves only the three paths; for processes without the api role. Not listening yet. */
export function createHealthServer(sources: HealthSources): Server {
  return createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const known = request.method === 'GET' && isHealthPath(path);
    const answer = known ? answerHealth(path, sources) : Promise.resolve(json(404, { status: 'not found' }));
    answer
      .catch(() => json(500, { status: 'failed' }))
      .then(({ status, contentType, body }) => {
        response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
      })
      .catch(() => response.destroy());
  });
}
