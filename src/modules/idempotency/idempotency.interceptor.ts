import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { catchError, concatMap, from, of, type Observable } from 'rxjs';
import { DomainError } from '../../domain/shared/errors';
import { DerivedKeys } from '../../platform/http/derived-keys';
import { requestContext } from '../../platform/http/request-context';
import { routeOf } from '../../platform/http/route';
import { TenantUnitOfWork } from '../tenancy/tenant-unit-of-work';
import { IdempotencyStore, type IdempotencyScope } from './idempotency-store';

const HEADERS = ['location', 'operation-id'] as const;
const PURPOSE = 'idempotent-answer';

/** What is kept of an answer; sealed as a whole, since some answers hold secrets. */
interface Kept {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** `Idempotency-Key` on any POST: the same request has one effect and one answer, however often it is sent. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly store: IdempotencyStore,
    private readonly keys: DerivedKeys,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const route = routeOf(context.getHandler());
    const header = request.headers['idempotency-key'];
    if (header === undefined || route?.method !== 'POST' || route.access === 'public') {
      return next.handle();
    }
    const { principal, tenant } = requestContext(request);
    const scope = { principal: principal.tokenId, route: `POST ${request.url}`, key: keyOf(header) };
    const replay = await this.claim(tenant.id, scope, request.body);
    if (replay !== undefined) {
      return of(this.replay(reply, replay));
    }
    return next.handle().pipe(
      concatMap((body: unknown) => from(this.complete(tenant.id, scope, reply, body))),
      catchError((error: unknown) => from(this.release(tenant.id, scope, error))),
    );
  }

  private async claim(
    tenantId: string,
    scope: IdempotencyScope,
    body: unknown,
  ): Promise<{ status: number; response: unknown } | undefined> {
    const hash = new Uint8Array(
      createHash('sha256')
        .update(JSON.stringify(body ?? null))
        .digest(),
    );
    const claim = await this.work.run(tenantId, (tx) => this.store.claim(tx, scope, hash, new Date()));
    switch (claim.kind) {
      case 'first':
        return undefined;
      case 'done':
        return claim;
      case 'mismatch':
        throw new DomainError('invalid', 'IDEMPOTENCY_MISMATCH', '');
      case 'running':
        throw new DomainError('refused', 'IDEMPOTENCY_IN_PROGRESS', '', { retryAfterMs: 1000 });
    }
  }

  private replay(reply: FastifyReply, { status, response }: { status: number; response: unknown }): unknown {
    const { sealed } = response as { readonly sealed: string };
    const { body, headers } = JSON.parse(this.keys.open(PURPOSE, sealed)) as Kept;
    void reply.status(status).header('idempotency-replayed', 'true').headers(headers);
    return body;
  }

  private async complete(
    tenantId: string,
    scope: IdempotencyScope,
    reply: FastifyReply,
    body: unknown,
  ): Promise<unknown> {
    const headers = Object.fromEntries(
      HEADERS.flatMap((name) => (reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : [])),
    );
    const kept: Kept = { body: body ?? null, headers };
    const sealed = this.keys.seal(PURPOSE, JSON.stringify(kept));
    await this.work.run(tenantId, (tx) => this.store.complete(tx, scope, reply.statusCode, { sealed }));
    return body;
  }

  private async release(tenantId: string, scope: IdempotencyScope, error: unknown): Promise<never> {
    await this.work.run(tenantId, (tx) => this.store.release(tx, scope));
    throw error;
  }
}

function keyOf(header: string | readonly string[]): string {
  const key = typeof header === 'string' ? header.trim() : '';
  if (!/^[\x21-\x7e]{1,128}$/.test(key)) {
    throw new DomainError('invalid', 'IDEMPOTENCY_KEY_INVALID', '');
  }
  return key;
}
