/** An EtcdStore without a cluster around it, for tests of the Kubernetes API. */
import { EtcdConflictError, type EtcdEvent, type EtcdItem, type EtcdStore } from '../etcd/etcd-store';

interface Watcher {
  readonly prefix: string;
  readonly onEvent: (event: EtcdEvent) => void;
}

export class MemoryEtcdStore implements EtcdStore {
  private readonly items = new Map<string, EtcdItem>();
  private readonly history: EtcdEvent[] = [];
  private readonly watchers = new Set<Watcher>();
  private revision = 1;

  get(key: string): Promise<EtcdItem | undefined> {
    return Promise.resolve(this.items.get(key));
  }

  list(prefix: string): Promise<{ items: EtcdItem[]; revision: number }> {
    const items = [...this.items.values()].filter((item) => item.key.startsWith(prefix));
    items.sort((a, b) => (a.key < b.key ? -1 : 1));
    return Promise.resolve({ items, revision: this.revision });
  }

  async put(key: string, value: string, expectedModRevision?: number): Promise<number> {
    this.expect(key, expectedModRevision);
    this.revision += 1;
    this.items.set(key, { key, value, modRevision: this.revision });
    this.publish({ type: 'put', key, value, modRevision: this.revision });
    return Promise.resolve(this.revision);
  }

  async delete(key: string, expectedModRevision?: number): Promise<number | undefined> {
    this.expect(key, expectedModRevision);
    if (!this.items.delete(key)) {
      return undefined;
    }
    this.revision += 1;
    this.publish({ type: 'delete', key, modRevision: this.revision });
    return Promise.resolve(this.revision);
  }

  watch(prefix: string, fromRevision: number, onEvent: (event: EtcdEvent) => void): Promise<() => void> {
    const missed = this.history.filter(
      (event) => fromRevision > 0 && event.modRevision >= fromRevision && event.key.startsWith(prefix),
    );
    missed.forEach(onEvent);
    const watcher = { prefix, onEvent };
    this.watchers.add(watcher);
    return Promise.resolve(() => {
      this.watchers.delete(watcher);
    });
  }

  private expect(key: string, expected: number | undefined): void {
    if (expected !== undefined && (this.items.get(key)?.modRevision ?? 0) !== expected) {
      throw new EtcdConflictError(key);
    }
  }

  private publish(event: EtcdEvent): void {
    this.history.push(event);
    const interested = [...this.watchers].filter((watcher) => event.key.startsWith(watcher.prefix));
    interested.forEach((watcher) => watcher.onEvent(event));
  }
}
