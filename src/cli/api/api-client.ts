/** The REST API of one server, called as one tenant. */
import { CliError, usageError } from '../cli-error';
import type { Target } from '../config/resolve-target';
import { EXIT } from '../exit-codes';
import { toApiError } from './read-problem';

const REQUEST_TIMEOUT_MS = 30_000;
const PAGE_SIZE = '500';

type Query = Readonly<Record<string, string | undefined>>;

export interface CallOptions {
  readonly query?: Query;
  readonly body?: unknown;
  readonly timeoutMs?: number;
  /** Cuts the call off. */
  readonly signal?: AbortSignal;
}

/** The server did not answer at all; whoever waits for something may try again. */
export class UnreachableError extends CliError {
  constructor(endpoint: string, error: unknown) {
    super(`${endpoint} cannot be reached`, {
      exitCode: EXIT.unreachable,
      why: [reasonOf(error)],
      next: 'check the endpoint, and that the server runs',
    });
  }
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return (
    [message, code].find((text): text is string => typeof text === 'string' && text !== '') ?? String(error)
  );
}

export class ApiClient {
  constructor(readonly target: Target) {}

  /** `clusters` -> `tenants/acme/clusters`. */
  inTenant(path: string): string {
    if (this.target.tenant === '') {
      throw usageError('no tenant is named', 'add --tenant NAME, or set QUORATE_TENANT');
    }
    return `tenants/${encodeURIComponent(this.target.tenant)}/${path}`;
  }

  get<T>(path: string, options?: CallOptions): Promise<T> {
    return this.call<T>('GET', path, options);
  }

  post<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.call<T>('POST', path, { ...options, body });
  }

  delete<T>(path: string): Promise<T> {
    return this.call<T>('DELETE', path);
  }

  /** Every page, one after the other. */
  async list<T>(path: string, query: Query = {}, limit = Number.POSITIVE_INFINITY): Promise<T[]> {
    const items: T[] = [];
    let pageToken: string | undefined;
    do {
      const pageSize = limit < Number(PAGE_SIZE) ? String(limit) : PAGE_SIZE;
      const page = await this.get<{ items: T[]; nextPageToken?: string }>(path, {
        query: { ...query, pageSize, pageToken },
      });
      items.push(...page.items);
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined && pageToken !== '' && items.length < limit);
    return items.slice(0, limit);
  }

  private async call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
    const url = new URL(`${this.target.endpoint}/api/v1/${path}`);
    for (const [key, value] of Object.entries(options.query ?? {})) {
      if (value !== undefined) {
        url.searchParams.set(key, value);
      }
    }
    const { response, text } = await this.send(url, method, options);
    if (!response.ok) {
      throw toApiError(response.status, text, response.headers.get('x-request-id') ?? undefined);
    }
    if (text === '') {
      return undefined as T;
    }
    try {
      return JSON.parse(text) as T;
    } catch {
      throw toApiError(response.status, text, undefined);
    }
  }

  private async send(url: URL, method: string, { body, timeoutMs, signal: stop }: CallOptions) {
    const { randomUUID } = await import('node:crypto');
    const headers: Record<string, string> = {
      accept: 'application/json, application/problem+json',
      authorization: `Bearer ${this.target.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'POST' ? { 'idempotency-key': randomUUID() } : {}),
    };
    const timeout = AbortSignal.timeout(timeoutMs ?? REQUEST_TIMEOUT_MS);
    const signal = stop === undefined ? timeout : AbortSignal.any([stop, timeout]);
    const text = body === undefined ? undefined : JSON.stringify(body);
    try {
      // A redirect could carry the token to another server.
      const init = {
        method,
        headers,
        signal,
        redirect: 'manual' as const,
        ...(text === undefined ? {} : { body: text }),
      };
      const response = await fetch(url, init);
      return { response, text: await response.text() };
    } catch (error) {
      throw new UnreachableError(this.target.endpoint, error);
    }
  }
}
