/** What the guard found out about a request, kept beside it for the time it lives. */
import type { FastifyRequest } from 'fastify';
import type { Principal, TenantRef } from '../../domain/access/principal';

export interface RequestContext {
  readonly requestId: string;
  readonly principal: Principal;
  /** The tenant that the path names; the caller's own when the path names none. */
  readonly tenant: TenantRef;
}

const contexts = new WeakMap<object, RequestContext>();

export function setRequestContext(request: FastifyRequest, context: RequestContext): void {
  contexts.set(request, context);
}

export function requestContext(request: FastifyRequest): RequestContext {
  const context = contexts.get(request);
  if (context === undefined) {
    throw new Error('a public route has no caller');
  }
  return context;
}

/** Actor of audit rows and operations. */
export function actorOf(principal: Principal): string {
  return `token:${principal.name}`;
}
