/** Kubernetes objects in etcd: the keys, the revision as resourceVersion, and reads that know which nodes are alive. */
import { randomUUID } from 'node:crypto';
import { EtcdConflictError, type EtcdEvent, type EtcdStore } from '../etcd/etcd-store';
import type { KubeObject } from './kube-object';
import { NODE_LEASE_NAMESPACE, withLeaseHealth } from './node-health';
import { groupVersionOf, resourceKind, type ResourceKind } from './resource-kinds';
import { alreadyExists, conflict, notFound, StatusError } from './status-error';

export interface ObjectList {
  readonly items: KubeObject[];
  readonly revision: number;
}

/** Kubernetes keeps whole seconds. */
export const timestamp = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

const ATTEMPTS = 10;

export class Registry {
  constructor(
    private readonly store: EtcdStore,
    private readonly clock: () => number = Date.now,
  ) {}

  now(): number {
    return this.clock();
  }

  async get(kind: ResourceKind, namespace: string | undefined, name: string): Promise<KubeObject> {
    const object = await this.stored(kind, namespace, name);
    if (object === undefined) {
      throw notFound(kind, name);
    }
    const [presented = object] = await this.present(kind, [object], name);
    return presented;
  }

  async list(kind: ResourceKind, namespace?: string): Promise<ObjectList> {
    const { items, revision } = await this.store.list(prefixOf(kind, namespace));
    const objects = items.map((item) => decode(item.value, item.modRevision));
    return { items: await this.present(kind, objects), revision };
  }

  async create(kind: ResourceKind, object: KubeObject): Promise<KubeObject> {
    const metadata = {
      ...object.metadata,
      uid: randomUUID(),
      creationTimestamp: timestamp(this.clock()),
    };
    const created = { ...object, apiVersion: groupVersionOf(kind), kind: kind.kind, metadata };
    try {
      return await this.write(kind, created, 0);
    } catch (error) {
      throw error instanceof EtcdConflictError ? alreadyExists(kind, metadata.name ?? '') : error;
    }
  }

  /** For what must exist, whoever comes first: true when this call made it. */
  async createIfAbsent(kind: ResourceKind, object: KubeObject): Promise<boolean> {
    const { namespace, name = '' } = object.metadata;
    if ((await this.stored(kind, namespace, name)) !== undefined) {
      return false;
    }
    try {
      await this.create(kind, object);
      return true;
    } catch (error) {
      if (error instanceof StatusError && error.reason === 'AlreadyExists') {
        return false;
      }
      throw error;
    }
  }

  /**
   * Reads, changes and writes, again when somebody was faster. A change that carries the resourceVersion which its
   * author saw is refused when that is no longer the current one.
   */
  async modify(
    kind: ResourceKind,
    namespace: string | undefined,
    name: string,
    change: (current: KubeObject) => KubeObject,
  ): Promise<KubeObject> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const current = await this.stored(kind, namespace, name);
      if (current === undefined) {
        throw notFound(kind, name);
      }
      const next = change(current);
      const seen = next.metadata.resourceVersion ?? current.metadata.resourceVersion;
      if (seen !== current.metadata.resourceVersion) {
        throw conflict(kind, name);
      }
      if (JSON.stringify(next) === JSON.stringify(current)) {
        return current;
      }
      try {
        return await this.write(kind, next, Number(seen));
      } catch (error) {
        if (!(error instanceof EtcdConflictError)) {
          throw error;
        }
      }
    }
    throw conflict(kind, name);
  }

  async remove(kind: ResourceKind, namespace: string | undefined, name: string): Promise<KubeObject> {
    const object = await this.stored(kind, namespace, name);
    if (object === undefined || (await this.store.delete(keyOf(kind, namespace, name))) === undefined) {
      throw notFound(kind, name);
    }
    return object;
  }

  watch(
    kind: ResourceKind,
    namespace: string | undefined,
    fromRevision: number,
    onEvent: (event: EtcdEvent) => void,
  ): Promise<() => void> {
    return this.store.watch(prefixOf(kind, namespace), fromRevision, onEvent);
  }

  private async stored(
    kind: ResourceKind,
    namespace: string | undefined,
    name: string,
  ): Promise<KubeObject | undefined> {
    const item = await this.store.get(keyOf(kind, namespace, name));
    return item === undefined ? undefined : decode(item.value, item.modRevision);
  }

  private async write(kind: ResourceKind, object: KubeObject, expected: number): Promise<KubeObject> {
    const { namespace, name = '' } = object.metadata;
    const { resourceVersion: _, ...metadata } = object.metadata;
    const value = JSON.stringify({ ...object, metadata });
    return decode(value, await this.store.put(keyOf(kind, namespace, name), value, expected));
  }

  private async present(kind: ResourceKind, objects: KubeObject[], only?: string): Promise<KubeObject[]> {
    if (kind.plural !== 'nodes') {
      return objects;
    }
    const leases = new Map<string | undefined, KubeObject>();
    const leaseKind = resourceKind('leases');
    if (only === undefined) {
      const { items } = await this.list(leaseKind, NODE_LEASE_NAMESPACE);
      items.forEach((lease) => leases.set(lease.metadata.name, lease));
    } else {
      const lease = await this.stored(leaseKind, NODE_LEASE_NAMESPACE, only);
      if (lease !== undefined) {
        leases.set(only, lease);
      }
    }
    return objects.map((node) => withLeaseHealth(node, leases.get(node.metadata.name), this.clock()));
  }
}

function prefixOf(kind: ResourceKind, namespace: string | undefined): string {
  const all = `/registry/${kind.plural}/`;
  return namespace === undefined ? all : `${all}${namespace}/`;
}

function keyOf(kind: ResourceKind, namespace: string | undefined, name: string): string {
  return prefixOf(kind, kind.namespaced ? namespace : undefined) + name;
}

export function decode(value: string, modRevision: number): KubeObject {
  const object = JSON.parse(value) as KubeObject;
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(modRevision) } };
}
