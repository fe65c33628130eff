import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { IncomingMessage } from 'node:http';
import { newId } from '../ids';

const BODY_LIMIT_BYTES = 2 * 1024 * 1024;
/** What a caller may choose as its own request id. */
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;

export function createFastifyAdapter(): FastifyAdapter {
  const adapter = new FastifyAdapter({
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
    done();
  });
  return adapter;
}
