/** One watch from its first frame to its end. It polls the feed when signalled, so a slow reader delays only itself. */
import type { TenantRef } from '../../domain/access/principal';
import { decideAccess } from '../../domain/access/decide-access';
import { DomainError } from '../../domain/shared/errors';
import type { DerivedKeys } from '../../platform/http/derived-keys';
import { toProblem } from '../../platform/http/problem';
import type { Authenticator } from '../access/authenticator';
import type { TenantTx, TenantUnitOfWork } from '../tenancy/tenant-unit-of-work';
import type { ChangeFeed, PublishedChange } from './change-feed';
import { writeResumeToken } from './resume-token';
import type { Frame } from './watch.schemas';
import { ACCESS_OF_KIND, type WatchedKind, type WatchedObjects } from './watched-kinds';

export interface WatchParts {
  readonly work: TenantUnitOfWork;
  readonly feed: ChangeFeed;
  readonly objects: WatchedObjects;
  readonly authenticator: Authenticator;
  readonly keys: DerivedKeys;
}

export interface WatchRequest {
  readonly tenant: TenantRef;
  /** Asked again before each batch: a revoked token ends the watch. */
  readonly token: string | undefined;
  readonly kinds: readonly WatchedKind[];
  readonly resume: bigint | undefined;
  readonly requestId: string;
}

/** Where frames go; resolves when there is room for more. */
export interface FrameSink {
  write(text: string): Promise<void>;
  readonly isClosed: boolean;
  /** Resolves at the next signal, at the end, or after `ms`; true = only the time passed. */
  pause(ms: number): Promise<boolean>;
}

const BATCH = 100;
const HEARTBEAT_MS = 15_000;
const TYPES = { created: 'ADDED', updated: 'MODIFIED', deleted: 'DELETED' } as const;

interface Batch {
  readonly frames: readonly { readonly seq: bigint; readonly frame: Frame }[];
  readonly reached: bigint;
  readonly isFull: boolean;
}

export class WatchSession {
  constructor(
    private readonly parts: WatchParts,
    private readonly request: WatchRequest,
    private readonly sink: FrameSink,
  ) {}

  async run(endAt: number): Promise<void> {
    try {
      let seq = this.request.resume ?? (await this.begin());
      let silent = false;
      while (!this.sink.isClosed && Date.now() < endAt) {
        const batch = await this.read(seq);
        for (const { seq: at, frame } of batch.frames) {
          await this.send(frame, at);
        }
        if (silent && batch.frames.length === 0) {
          await this.sink.write(': heartbeat\n\n');
        }
        // A bookmark keeps a quiet watch resumable: other tenants' changes push the kept range on.
        if (silent && batch.reached > seq) {
          await this.send({ type: 'BOOKMARK' }, batch.reached);
        }
        seq = batch.reached;
        silent = batch.isFull
          ? false
          : await this.sink.pause(Math.min(HEARTBEAT_MS, Math.max(1, endAt - Date.now())));
      }
    } catch (error) {
      await this.send({ type: 'ERROR', object: toProblem(error, this.request.requestId) });
    }
  }

  private async begin(): Promise<bigint> {
    const { tenant, kinds } = this.request;
    const { seq, objects } = await this.parts.work.run(tenant.id, async (tx) => {
      // Before the objects: what changes in between is told again rather than missed.
      const from = await this.newest(tx);
      return { seq: from, objects: await this.parts.objects.initial(tx, kinds) };
    });
    for (const { kind, object } of objects) {
      await this.send({ type: 'ADDED', kind, ...idOf(object), object });
    }
    await this.send({ type: 'BOOKMARK' }, seq);
    return seq;
  }

  private async read(seq: bigint): Promise<Batch> {
    await this.authorise();
    return this.parts.work.run(this.request.tenant.id, async (tx) => {
      const newest = await this.newest(tx);
      const changes = await this.parts.feed.after(tx, seq, this.request.kinds, BATCH);
      const frames: { seq: bigint; frame: Frame }[] = [];
      for (const change of changes) {
        const frame = await this.frameOf(tx, change);
        frames.push(...(frame === undefined ? [] : [{ seq: change.seq, frame }]));
      }
      const isFull = changes.length === BATCH;
      const last = changes.at(-1)?.seq ?? seq;
      return { frames, isFull, reached: !isFull && newest > last ? newest : last };
    });
  }

  private async newest(tx: TenantTx): Promise<bigint> {
    const [seen, pruned] = [await this.parts.feed.newest(tx), await this.parts.feed.prunedTo(tx)];
    return seen > pruned ? seen : pruned;
  }

  private async frameOf(tx: TenantTx, change: PublishedChange): Promise<Frame | undefined> {
    const { objectId: id } = change;
    const kind = change.kind as WatchedKind;
    if (change.change === 'deleted') {
      return { type: 'DELETED', kind, id };
    }
    const object = await this.parts.objects.present(tx, kind, id);
    // Gone since: its own DELETED follows.
    return object === undefined ? undefined : { type: TYPES[change.change], kind, id, object };
  }

  private async authorise(): Promise<void> {
    const { role, tenantId } = await this.parts.authenticator.authenticate(this.request.token);
    const ownTenant = tenantId === this.request.tenant.id;
    const refused = this.request.kinds.find(
      (kind) => decideAccess({ role, ownTenant, access: ACCESS_OF_KIND[kind] }) !== 'allowed',
    );
    if (refused !== undefined) {
      throw new DomainError('forbidden', 'FORBIDDEN', `role ${role} may not watch ${refused}`);
    }
  }

  private send(frame: Frame, seq?: bigint): Promise<void> {
    const id =
      seq === undefined ? '' : `id: ${writeResumeToken(this.parts.keys, this.request.tenant.id, seq)}\n`;
    return this.sink.write(`${id}event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);
  }
}

function idOf(object: object): { id?: string } {
  return 'id' in object && typeof object.id === 'string' ? { id: object.id } : {};
}
