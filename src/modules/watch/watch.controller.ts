import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Checked, Route, type Call } from '../../platform/http/route';
import { bearerToken } from '../access/api-token';
import { WatchHub } from './watch-hub';
import { watchChanges } from './watch.schemas';

@Controller()
export class WatchController {
  constructor(private readonly hub: WatchHub) {}

  /** Takes the response over: it lives longer than the call. */
  @Route(watchChanges)
  async watch(
    @Checked() call: Call<typeof watchChanges>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const resume = request.headers['last-event-id'];
    const watch = await this.hub.admit({
      ...call,
      kinds: call.query.kinds,
      token: bearerToken(request.headers.authorization),
      lastEventId: typeof resume === 'string' && resume !== '' ? resume : undefined,
    });
    reply.hijack();
    reply.raw.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': call.requestId,
    });
    // Headers go out at once; without a byte the client would not know that it is connected.
    reply.raw.write('retry: 1000\n\n');
    await watch(reply.raw);
  }
}
