/** An EtcdStore over whichever members of a cluster answer: how a worker reaches the store of its cluster. */
import type { RunningEtcdMember } from './etcd-engine';
import { EtcdConflictError, EtcdUnavailableError, type EtcdEvent, type EtcdStore } from './etcd-store';

const RECONNECT_MS = 1_000;

export class StoreOfMembers implements EtcdStore {
  constructor(private readonly members: () => Promise<RunningEtcdMember[]>) {}

  get(key: string): ReturnType<EtcdStore['get']> {
    return this.onAny((store) => store.get(key));
  }

  list(prefix: string): ReturnType<EtcdStore['list']> {
    return this.onAny((store) => store.list(prefix));
  }

  put(key: string, value: string, expectedModRevision?: number): Promise<number> {
    return this.onAny((store) => store.put(key, value, expectedModRevision));
  }

  delete(key: string, expectedModRevision?: number): Promise<number | undefined> {
    return this.onAny((store) => store.delete(key, expectedModRevision));
  }

  /** Follows the cluster from member to member; nothing is lost or seen twice at a change. */
  async watch(
    prefix: string,
    fromRevision: number,
    onEvent: (event: EtcdEvent) => void,
  ): Promise<() => void> {
    let ended = false;
    let next = fromRevision;
    let endCurrent: () => void = () => undefined;
    const seen = (event: EtcdEvent): void => {
      next = event.modRevision + 1;
      if (!ended) {
        onEvent(event);
      }
    };
    const connect = async (): Promise<void> => {
      const member = (await this.members())[0];
      if (member === undefined) {
        throw new EtcdUnavailableError();
      }
      // A revision is pinned first: events between the loss of one member and the next must not be missed.
      if (next === 0) {
        next = (await member.store.list(prefix)).revision + 1;
      }
      endCurrent = await member.store.watch(prefix, next, seen);
      void member.ended.then(() => void reconnect());
    };
    const reconnect = async (): Promise<void> => {
      while (!ended) {
        try {
          await connect();
          return;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS).unref());
        }
      }
    };
    await connect();
    return () => {
      ended = true;
      endCurrent();
    };
  }

  private async onAny<T>(call: (store: EtcdStore) => Promise<T>): Promise<T> {
    let last: unknown = new EtcdUnavailableError();
    for (const member of await this.members()) {
      try {
        return await call(member.store);
      } catch (error) {
        if (error instanceof EtcdConflictError) {
          throw error;
        }
        last = error;
      }
    }
    throw last;
  }
}
