/** One declaration per route: validation, access, OpenAPI and the isolation test all read the same one. */
import {
  HttpCode,
  RequestMapping,
  RequestMethod,
  SetMetadata,
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AccessKey } from '../../domain/access/access-matrix';
import { parsePart } from './parse-part';
import { requestContext, type RequestContext } from './request-context';

export const API_PREFIX = 'api/v1';
export const ROUTE = 'quorate:route';
const METHODS = { GET: RequestMethod.GET, POST: RequestMethod.POST, DELETE: RequestMethod.DELETE } as const;

export interface RouteDeclaration {
  /** operationId of the OpenAPI document. */
  readonly id: string;
  readonly method: keyof typeof METHODS;
  /** Under /api/v1, OpenAPI style: `tenants/{tenant}/templates:sync`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The row of the access matrix; `public` needs no token. */
  readonly access: AccessKey | 'public';
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly status: number;
  /** Absent = no body. */
  readonly response?: z.ZodType;
  /** Further successful answers. */
  readonly alternatives?: Readonly<Record<number, z.ZodType>>;
  readonly contentType?: string;
  /** The answer holds a secret: never kept in plain text for replays. */
  readonly secret?: boolean;
  /** Answers an ETag and obeys If-Match. */
  readonly etag?: boolean;
}

const Nothing = z.strictObject({});
type Output<T> = T extends z.ZodType ? z.output<T> : Record<string, never>;
type Part<D, K extends 'params' | 'query' | 'body'> =
  D extends Readonly<Record<K, infer S>> ? Output<S> : Record<string, never>;

/** What a controller method gets: everything checked, and who asks. */
export interface Call<D> extends RequestContext {
  readonly params: Part<D, 'params'>;
  readonly query: Part<D, 'query'>;
  readonly body: Part<D, 'body'>;
  readonly ifMatch: string | undefined;
}

export type ResponseOf<D> = D extends { readonly response: z.ZodType } ? z.output<D['response']> : undefined;

export function declareRoute<const D extends RouteDeclaration>(declaration: D): D {
  return declaration;
}

/** Fastify writes parameters as `:name` and a colon of the path itself as `::`. */
export function nestPath(path: string): string {
  return `${API_PREFIX}/${path.replaceAll(':', '::').replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

export function Route(declaration: RouteDeclaration): MethodDecorator {
  return applyDecorators(
    RequestMapping({ path: nestPath(declaration.path), method: METHODS[declaration.method] }),
    HttpCode(declaration.status),
    SetMetadata(ROUTE, declaration),
  );
}

export function routeOf(handler: object): RouteDeclaration | undefined {
  return Reflect.getMetadata(ROUTE, handler) as RouteDeclaration | undefined;
}

/** The checked call; unknown fields are refused by JSON pointer, never dropped. */
export const Checked = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Call<RouteDeclaration> => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = routeOf(context.getHandler());
    if (route === undefined) {
      throw new Error('@Checked() needs @Route() on the method');
    }
    return {
      ...requestContext(request),
      params: parsePart('params', route.params ?? Nothing, request.params ?? {}),
      query: parsePart('query', route.query ?? Nothing, request.query ?? {}),
      body: parsePart('body', route.body ?? Nothing, request.body ?? {}),
      ifMatch: request.headers['if-match'],
    } as Call<RouteDeclaration>;
  },
);
