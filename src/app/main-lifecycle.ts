/** From a configured module to a serving process, and back to nothing when told to stop. */
import { Logger, type DynamicModule, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '../platform/config/config';
import {
  answerHealth,
  createHealthServer,
  HEALTH_PATHS,
  type HealthSources,
} from '../platform/health/health-endpoints';
import { HealthRegistry } from '../platform/health/health-registry';
import { Lifecycle, type Part } from '../platform/lifecycle/lifecycle';
import { createJsonLogger } from '../platform/logging/json-logger';
import { NestJsonLogger } from '../platform/logging/nest-logger';

/** Longer than any step waits; a container runtime usually gives 30 s. */
const STOP_DEADLINE_MS = 15_000;
/** Requests in flight get this long before their connections are cut; watches end at once or then. */
const DRAIN_MS = 3000;

export interface ServerParts {
  readonly config: Config;
  readonly module: Type | DynamicModule;
  /** Limits and ids of requests; the default is Fastify's own. */
  readonly adapter?: () => FastifyAdapter;
  /** What the API needs besides its modules: prefix, filters, hooks. */
  readonly configureHttp?: (app: NestFastifyApplication) => void | Promise<void>;
  readonly metrics: () => Promise<string>;
}

/** Resolves when the process serves. Rejects, with everything stopped again, when a part does not start. */
export async function runServer(parts: ServerParts): Promise<void> {
  const logger = new NestJsonLogger(createJsonLogger({ level: parts.config.values.LOG_LEVEL }));
  Logger.overrideLogger(logger);
  exitOnCrash(logger);
  const app = await createApplication(parts);
  const lifecycle = app.get(Lifecycle);
  const health = app.get(HealthRegistry);
  lifecycle.register(httpPart(app, parts, { health, metrics: parts.metrics }));
  const stop = stopper(app, lifecycle, health, logger);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void stop(signal));
  }
  try {
    await app.init();
    await lifecycle.start();
  } catch (error) {
    await lifecycle.stop();
    await app.close();
    throw error;
  }
  health.setServing(true);
  logger.log(
    'serving',
    { roles: parts.config.values.ROLES, httpPort: parts.config.values.HTTP_PORT },
    'Main',
  );
}

async function createApplication({
  config,
  module,
  adapter,
  configureHttp,
}: ServerParts): Promise<INestApplicationContext> {
  const options = { abortOnError: false, bufferLogs: false };
  if (!config.has('api')) {
    return NestFactory.createApplicationContext(module, options);
  }
  const fastify = adapter?.() ?? new FastifyAdapter();
  const app = await NestFactory.create<NestFastifyApplication>(module, fastify, options);
  await configureHttp?.(app);
  return app;
}

const isHttp = (app: INestApplicationContext): app is NestFastifyApplication => 'getHttpAdapter' in app;

function httpPart(app: INestApplicationContext, { config }: ServerParts, sources: HealthSources): Part {
  const { HTTP_PORT: port, LISTEN_HOST: host } = config.values;
  return isHttp(app) ? apiPart(app, { port, host }, sources) : healthPart({ port, host }, sources);
}

interface Address {
  readonly port: number;
  readonly host: string;
}

function apiPart(app: NestFastifyApplication, { port, host }: Address, sources: HealthSources): Part {
  const fastify = app.getHttpAdapter().getInstance();
  // Beside Nest's router: no prefix, no authentication, no request log.
  for (const path of HEALTH_PATHS) {
    fastify.get(path, async (_request, reply) => {
      const { status, contentType, body } = await answerHealth(path, sources);
      return reply
        .code(status)
        .header('content-type', contentType)
        .header('cache-control', 'no-store')
        .send(body);
    });
  }
  return {
    name: 'http',
    stage: 'http',
    async start() {
      await app.listen(port, host);
    },
    async stop() {
      const cut = setTimeout(() => fastify.server.closeAllConnections(), DRAIN_MS);
      await fastify.close();
      clearTimeout(cut);
    },
  };
}

function healthPart({ port, host }: Address, sources: HealthSources): Part {
  const server = createHealthServer(sources);
  return {
    name: 'health server',
    stage: 'http',
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function stopper(
  app: INestApplicationContext,
  lifecycle: Lifecycle,
  health: HealthRegistry,
  logger: NestJsonLogger,
) {
  let stopping = false;
  return async (signal: string): Promise<void> => {
    if (stopping) {
      return;
    }
    stopping = true;
    logger.log('stopping', { signal }, 'Main');
    health.setServing(false);
    const deadline = setTimeout(() => {
      logger.fatal(`not stopped within ${String(STOP_DEADLINE_MS / 1000)} s`, 'Main');
      process.exit(1);
    }, STOP_DEADLINE_MS);
    await lifecycle.stop();
    await app.close();
    clearTimeout(deadline);
    logger.log('stopped', 'Main');
    process.exit(0);
  };
}

/** State after an error that nobody caught is unknown; another process goes on from what the database says. */
function exitOnCrash(logger: NestJsonLogger): void {
  const die = (what: string) => (error: unknown) => {
    logger.fatal(what, error, 'Main');
    process.exit(1);
  };
  process.on('uncaughtException', die('uncaught exception'));
  process.on('unhandledRejection', die('unhandled rejection'));
}
