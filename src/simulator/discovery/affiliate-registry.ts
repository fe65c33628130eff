/** What the discovery service holds: affiliates per cluster, in memory, each with its own end of life. */
import { status } from '@grpc/grpc-js';

const MAX_TTL_MS = 30 * 60_000;
const MAX_AFFILIATES = 1024;
const MAX_ENDPOINTS = 64;

/** A refused call, with its gRPC status. */
export class RegistryRefused extends Error {
  constructor(
    readonly code: status,
    message: string,
  ) {
    super(message);
  }
}

interface Entry {
  data: Buffer;
  expiresAt: number;
  /** Endpoint (hex) -> end of life. */
  readonly endpoints: Map<string, number>;
}

export interface AffiliateUpdate {
  readonly clusterId: string;
  readonly affiliateId: string;
  /** Absent: only endpoints are added. */
  readonly data?: Buffer;
  readonly endpoints: readonly Buffer[];
  readonly ttlMs: number;
}

export class AffiliateRegistry {
  private readonly clusters = new Map<string, Map<string, Entry>>();
  private readonly watchers = new Set<(clusterId: string) => void>();

  constructor(private readonly now: () => number = Date.now) {}

  update(update: AffiliateUpdate): void {
    check(update);
    const cluster = this.alive(update.clusterId);
    let entry = cluster.get(update.affiliateId);
    if (entry === undefined) {
      if (cluster.size >= MAX_AFFILIATES) {
        throw new RegistryRefused(status.RESOURCE_EXHAUSTED, 'too many affiliates in the cluster');
      }
      entry = { data: Buffer.alloc(0), expiresAt: 0, endpoints: new Map() };
    }
    const fresh = update.endpoints.filter((endpoint) => !entry.endpoints.has(endpoint.toString('hex')));
    if (entry.endpoints.size + fresh.length > MAX_ENDPOINTS) {
      throw new RegistryRefused(status.RESOURCE_EXHAUSTED, 'too many endpoints in the affiliate');
    }
    const expiresAt = this.now() + update.ttlMs;
    if (update.data !== undefined) {
      entry.data = update.data;
    }
    entry.expiresAt = Math.max(entry.expiresAt, expiresAt);
    for (const endpoint of update.endpoints) {
      entry.endpoints.set(endpoint.toString('hex'), expiresAt);
    }
    cluster.set(update.affiliateId, entry);
    this.clusters.set(update.clusterId, cluster);
    this.notify(update.clusterId);
  }

  delete(clusterId: string, affiliateId: string): void {
    checkIds(clusterId, affiliateId);
    if (this.alive(clusterId).delete(affiliateId)) {
      this.notify(clusterId);
    }
  }

  list(clusterId: string): { id: string; data: Buffer; endpoints: Buffer[] }[] {
    checkIds(clusterId, 'any');
    return [...this.alive(clusterId)].map(([id, entry]) => ({
      id,
      data: entry.data,
      endpoints: [...entry.endpoints.keys()].map((endpoint) => Buffer.from(endpoint, 'hex')),
    }));
  }

  /** Called with the id of the cluster whose affiliates changed. */
  onChange(watcher: (clusterId: string) => void): () => void {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  /** Forgets what has expired; reading never shows it in any case. */
  collect(): void {
    for (const clusterId of [...this.clusters.keys()]) {
      if (this.alive(clusterId).size === 0) {
        this.clusters.delete(clusterId);
      }
    }
  }

  private alive(clusterId: string): Map<string, Entry> {
    const cluster = this.clusters.get(clusterId) ?? new Map<string, Entry>();
    const now = this.now();
    for (const [id, entry] of cluster) {
      for (const [endpoint, end] of entry.endpoints) {
        if (end <= now) {
          entry.endpoints.delete(endpoint);
        }
      }
      if (entry.expiresAt <= now) {
        cluster.delete(id);
      }
    }
    return cluster;
  }

  private notify(clusterId: string): void {
    for (const watcher of this.watchers) {
      watcher(clusterId);
    }
  }
}

function checkIds(...ids: readonly string[]): void {
  for (const id of ids) {
    const length = Buffer.byteLength(id);
    if (length === 0) {
      throw new RegistryRefused(status.INVALID_ARGUMENT, "cluster and affiliate ids can't be empty");
    }
    if (length > 256) {
      throw new RegistryRefused(status.INVALID_ARGUMENT, 'cluster or affiliate id is too long');
    }
  }
}

function check({ clusterId, affiliateId, data, endpoints, ttlMs }: AffiliateUpdate): void {
  checkIds(clusterId, affiliateId);
  if ((data?.length ?? 0) > 2048) {
    throw new RegistryRefused(status.INVALID_ARGUMENT, 'affiliate data is too long');
  }
  if (endpoints.some((endpoint) => endpoint.length > 32)) {
    throw new RegistryRefused(status.INVALID_ARGUMENT, 'affiliate endpoint is too long');
  }
  if (!(ttlMs > 0)) {
    throw new RegistryRefused(status.INVALID_ARGUMENT, 'ttl is required');
  }
  if (ttlMs > MAX_TTL_MS) {
    throw new RegistryRefused(status.INVALID_ARGUMENT, 'ttl is too large');
  }
}
