import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromFramework } from './framework-error';
import { toProblem } from './problem';

/** The last word on every refusal of the HTTP door. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const problem = toProblem(fromFramework(thrown), request.id);
    if (problem.status >= 500) {
      this.logger.error('request failed', { requestId: request.id, code: problem.code }, thrown);
    }
    if (reply.sent || reply.raw.headersSent) {
      return;
    }
    if (problem.status === 401) {
      void reply.header('www-authenticate', 'Bearer realm="quorate"');
    }
    if (problem.retryAfterMs !== undefined) {
      void reply.header('retry-after', String(Math.ceil(problem.retryAfterMs / 1000)));
    }
    void reply
      .status(problem.status)
      .header('content-type', 'application/problem+json; charset=utf-8')
      .header('x-request-id', request.id)
      .header('cache-control', 'no-store')
      .send(JSON.stringify(problem));
  }
}
