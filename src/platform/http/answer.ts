import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';

/** For the few answers that need another status or headers of their own. */
export class Answer<T> {
  constructor(
    readonly body: T,
    readonly options: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> },
  ) {}
}

export function etagOf(version: number): string {
  return `"${version}"`;
}

@Injectable()
export class AnswerInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((value: unknown) => {
        if (!(value instanceof Answer)) {
          return value;
        }
        for (const [name, content] of Object.entries(value.options.headers ?? {})) {
          void reply.header(name, content);
        }
        if (value.options.status !== undefined) {
          void reply.status(value.options.status);
        }
        return value.body as unknown;
      }),
    );
  }
}
