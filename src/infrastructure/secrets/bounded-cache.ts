export interface BoundedCacheOptions<V> {
  readonly maxEntries: number;
  readonly maxAgeMs: number;
  readonly now: () => number;
  /** Called once for each value that leaves, whatever the reason. */
  readonly onEvict?: (value: V) => void;
}

interface Entry<V> {
  readonly value: V;
  readonly expiresAt: number;
}

/** Keeps the values used last, and none for longer than its age. */
export class BoundedCache<V> {
  // A Map keeps insertion order: the first entry is the one not used for longest.
  private readonly entries = new Map<string, Entry<V>>();

  constructor(private readonly options: BoundedCacheOptions<V>) {}

  get size(): number {
    return this.entries.size;
  }

  get(key: string): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    if (entry.expiresAt <= this.options.now()) {
      this.delete(key);
      return undefined;
    }
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V): void {
    this.delete(key);
    this.entries.set(key, { value, expiresAt: this.options.now() + this.options.maxAgeMs });
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.options.maxEntries) {
        return;
      }
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.entries.get(key);
    if (entry !== undefined) {
      this.entries.delete(key);
      this.options.onEvict?.(entry.value);
    }
  }

  clear(): void {
    [...this.entries.keys()].forEach((key) => this.delete(key));
  }
}
