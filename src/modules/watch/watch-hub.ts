import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { decideAccess } from '../../domain/access/decide-access';
import type { Principal } from '../../domain/access/principal';
import { DomainError } from '../../domain/shared/errors';
import { DerivedKeys } from '../../platform/http/derived-keys';
import type { RequestContext } from '../../platform/http/request-context';
import { Lifecycle } from '../../platform/lifecycle/lifecycle';
import { Authenticator } from '../access/authenticator';
import { TenantUnitOfWork } from '../tenancy/tenant-unit-of-work';
import { ChangeFeed, ChangeSignal } from './change-feed';
import { ReplySink } from './reply-sink';
import { readResumeToken } from './resume-token';
import { WatchSession, type WatchRequest } from './watch-session';
import { ACCESS_OF_KIND, WATCHED_KINDS, WatchedObjects, type WatchedKind } from './watched-kinds';

const MAX_PER_TOKEN = 20;
const MIN_LIFE_MS = 5 * 60_000;
const JITTER_MS = 5 * 60_000;

export interface WatchAsked extends RequestContext {
  readonly kinds: readonly WatchedKind[] | undefined;
  readonly token: string | undefined;
  readonly lastEventId: string | undefined;
}

/** All open watches of this process. */
@Injectable()
export class WatchHub implements OnModuleInit {
  private readonly open = new Map<string, Set<ReplySink>>();

  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly feed: ChangeFeed,
    private readonly signal: ChangeSignal,
    private readonly objects: WatchedObjects,
    private readonly authenticator: Authenticator,
    private readonly keys: DerivedKeys,
    private readonly lifecycle: Lifecycle,
  ) {}

  onModuleInit(): void {
    // With the HTTP door: a watch would hold its closing up until the drain is over.
    this.lifecycle.register({ name: 'watches', stage: 'http', stop: () => this.endAll() });
  }

  /** Refuses as any request is refused; then answers how to serve the watch. */
  async admit(asked: WatchAsked): Promise<(response: ServerResponse) => Promise<void>> {
    const { principal, tenant, requestId, token } = asked;
    const kinds = kindsOf(asked);
    const resume = await this.resumeFrom(asked);
    if ((this.open.get(principal.tokenId)?.size ?? 0) >= MAX_PER_TOKEN) {
      throw new DomainError('limited', 'WATCH_LIMIT', `at most ${MAX_PER_TOKEN} watches per token`, {
        retryAfterMs: 5000,
      });
    }
    return (response) => this.serve(principal, response, { tenant, token, kinds, resume, requestId });
  }

  private async resumeFrom({ lastEventId, tenant }: WatchAsked): Promise<bigint | undefined> {
    if (lastEventId === undefined) {
      return undefined;
    }
    const seq = readResumeToken(this.keys, tenant.id, lastEventId);
    if (seq < (await this.work.run(tenant.id, (tx) => this.feed.prunedTo(tx)))) {
      throw new DomainError('stale', 'RESUME_TOKEN_EXPIRED', '');
    }
    return seq;
  }

  private async serve(
    { tokenId }: Principal,
    response: ServerResponse,
    request: WatchRequest,
  ): Promise<void> {
    const sink = new ReplySink(response);
    const sinks = this.open.get(tokenId) ?? new Set();
    this.open.set(tokenId, sinks.add(sink));
    const unsubscribe = this.signal.subscribe(() => sink.signal());
    const { work, feed, objects, authenticator, keys } = this;
    try {
      // Jittered, so that a restart does not bring all of them back at one time for ever.
      const endAt = Date.now() + MIN_LIFE_MS + Math.random() * JITTER_MS;
      await new WatchSession({ work, feed, objects, authenticator, keys }, request, sink).run(endAt);
    } finally {
      unsubscribe();
      sinks.delete(sink);
      if (sinks.size === 0) {
        this.open.delete(tokenId);
      }
      response.end();
    }
  }

  private endAll(): Promise<void> {
    for (const sink of [...this.open.values()].flatMap((sinks) => [...sinks])) {
      sink.end();
    }
    return Promise.resolve();
  }
}

function kindsOf({ kinds, principal }: WatchAsked): readonly WatchedKind[] {
  const may = (kind: WatchedKind): boolean =>
    decideAccess({ role: principal.role, ownTenant: true, access: ACCESS_OF_KIND[kind] }) === 'allowed';
  const refused = kinds?.find((kind) => !may(kind));
  if (refused !== undefined) {
    throw new DomainError('forbidden', 'FORBIDDEN', `role ${principal.role} may not watch ${refused}`);
  }
  return kinds ?? WATCHED_KINDS.filter(may);
}
