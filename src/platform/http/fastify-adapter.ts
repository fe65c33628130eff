import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../domain/shared/errors';
import { newId } from '../ids';
import { fromFramework } from './framework-error';
import { toProblem } from './problem';

const BODY_LIMIT_BYTES = 2 * 1024 * 1024;
/** What a caller may choose as its own request id. */
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;

/** PostgreSQL takes no NUL in a text: no name holds one, and none may reach a query. */
const hasNul = (url = ''): boolean => /%00/.test(url);

export function createFastifyAdapter(): FastifyAdapter {
  const adapter = new FastifyAdapter({
    // What breaks before there is a route never comes to Nest.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const problem = toProblem(fromFramework(error), request.id);
      void reply
        .status(problem.status)
        .header('content-type', 'application/problem+json; charset=utf-8')
        .header('x-request-id', request.id)
        .send(JSON.stringify(problem));
    },
    bodyLimit: BODY_LIMIT_BYTES,
    // Some clients encode the colon of `templates:sync`; no name of ours holds one.
    rewriteUrl: ({ url = '/' }) => {
      const [path = '/', ...query] = url.split('?');
      return [path.replaceAll(/%3a/gi, ':'), ...query].join('?');
    },
    genReqId: ({ headers }: IncomingMessage) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId();
    },
  });
  adapter.getInstance().addHook('onRequest', (request, reply, done) => {
    void reply
      .header('x-request-id', request.id)
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff');
    done(
      hasNul(request.raw.url)
        ? new DomainError('invalid', 'REQUEST_MALFORMED', 'the URL holds a NUL')
        : undefined,
    );
  });
  return adapter;
}
