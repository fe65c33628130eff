/** What the simulated Kubernetes needs of etcd. Two stores exist: real etcd processes, and a model in memory. */

export interface EtcdItem {
  readonly key: string;
  readonly value: string;
  readonly modRevision: number;
}

export interface EtcdEvent {
  readonly type: 'put' | 'delete';
  readonly key: string;
  /** Only of a put. */
  readonly value?: string;
  readonly modRevision: number;
}

export interface EtcdStore {
  get(key: string): Promise<{ value: string; modRevision: number } | undefined>;
  /** Items in key order, and the revision of the whole store at which they were read. */
  list(prefix: string): Promise<{ items: EtcdItem[]; revision: number }>;
  /** Answers the new revision. Expected revision 0: the key must not exist. Throws EtcdConflictError. */
  put(key: string, value: string, expectedModRevision?: number): Promise<number>;
  /** Answers the revision of the deletion, or undefined when there was no such key. Throws EtcdConflictError. */
  delete(key: string, expectedModRevision?: number): Promise<number | undefined>;
  /**
   * Calls `onEvent` for every event with modRevision >= fromRevision (0: only new ones), in order. Answers how to end
   * it. Throws EtcdCompactedError when the events of that revision are no longer kept: list again.
   */
  watch(prefix: string, fromRevision: number, onEvent: (event: EtcdEvent) => void): Promise<() => void>;
}

/** The key has another revision than expected. */
export class EtcdConflictError extends Error {
  constructor(readonly key: string) {
    super(`etcd: the key ${key} has another revision than expected`);
  }
}

/** No quorum, or no member answers. */
export class EtcdUnavailableError extends Error {
  constructor(message = 'etcdserver: no leader') {
    super(message);
  }
}

export class EtcdCompactedError extends Error {
  constructor() {
    super('etcdserver: mvcc: required revision has been compacted');
  }
}
