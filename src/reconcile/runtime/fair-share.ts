/**
 * Slots of one worker, shared fairly: while anybody else may be waiting, a tenant has at most half of them.
 *
 * A key over its tenant's share is parked here and its queue job ends at once, so that the worker goes on to the jobs
 * behind it; a flood of one tenant holds up nobody. Parked keys run when their tenant is below its share, or when
 * nothing has come from the queue for a moment although slots were free. Parking is memory only: a process that dies with parked keys loses nothing, they are due in their
 * rows and the next sweep brings them back.
 */
const PARKED_LIMIT = 10_000;
/** A worker with a free slot has its next job within a few milliseconds, if there is one; a busy database is slower. */
const QUIET_MS = 50;

interface Entry {
  readonly key: string;
  readonly tenantId: string;
}

export class FairShare {
  private readonly active = new Map<string, number>();
  private total = 0;
  /** Tenants in the order of their next turn; keys of each in the order of their arrival. */
  private readonly parked = new Map<string, Set<string>>();
  private parkedCount = 0;
  private readonly waiters: { readonly entry: Entry; readonly go: () => void }[] = [];
  private othersMayWait = true;
  private lastOfferAt = 0;
  private quietTimer: NodeJS.Timeout | undefined;
  private stopped = false;
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly slots: number,
    private readonly runKey: (key: string) => Promise<void>,
    private readonly quietMs: number = QUIET_MS,
  ) {}

  get share(): number {
    return Math.ceil(this.slots / 2);
  }

  /** Resolves when the key has been run, or at once when it was parked. */
  async offer(key: string, tenantId: string): Promise<void> {
    this.othersMayWait = true;
    this.lastOfferAt = performance.now();
    const entry = { key, tenantId };
    if (this.parkedCount > 0) {
      this.armQuietTimer();
    }
    if (this.activeOf(tenantId) >= this.share && this.parkedCount < PARKED_LIMIT) {
      this.park(entry);
      return;
    }
    if (this.total >= this.slots) {
      await new Promise<void>((go) => this.waiters.push({ entry, go }));
    } else {
      this.enter(tenantId);
    }
    await this.runEntered(entry);
  }

  /** Forgets what is parked and waits for what runs. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.quietTimer);
    this.parked.clear();
    this.parkedCount = 0;
    await Promise.allSettled(this.running);
  }

  private activeOf(tenantId: string): number {
    return this.active.get(tenantId) ?? 0;
  }

  private enter(tenantId: string): void {
    this.total += 1;
    this.active.set(tenantId, this.activeOf(tenantId) + 1);
  }

  private leave(tenantId: string): void {
    this.total -= 1;
    const left = this.activeOf(tenantId) - 1;
    if (left === 0) {
      this.active.delete(tenantId);
    } else {
      this.active.set(tenantId, left);
    }
  }

  private async runEntered({ key, tenantId }: Entry): Promise<void> {
    try {
      await this.runKey(key);
    } finally {
      this.leave(tenantId);
      this.fill();
    }
  }

  private fill(): void {
    while (this.total < this.slots) {
      const waiter = this.waiters.shift();
      if (waiter !== undefined) {
        this.enter(waiter.entry.tenantId);
        waiter.go();
        continue;
      }
      const entry = this.unpark();
      if (entry === undefined) {
        return;
      }
      this.enter(entry.tenantId);
      const run = this.runEntered(entry).catch(() => undefined);
      this.running.add(run);
      void run.then(() => this.running.delete(run));
    }
  }

  private park({ key, tenantId }: Entry): void {
    if (this.stopped) {
      return;
    }
    const keys = this.parked.get(tenantId) ?? new Set<string>();
    this.parkedCount += keys.has(key) ? 0 : 1;
    keys.add(key);
    this.parked.set(tenantId, keys);
    this.armQuietTimer();
  }

  private armQuietTimer(): void {
    this.quietTimer ??= setTimeout(() => this.lookWhetherQuiet(), this.quietMs);
  }

  private lookWhetherQuiet(): void {
    const left = this.lastOfferAt + this.quietMs - performance.now();
    if (left > 0) {
      this.quietTimer = setTimeout(() => this.lookWhetherQuiet(), Math.ceil(left));
      return;
    }
    this.quietTimer = undefined;
    this.othersMayWait = false;
    this.fill();
  }

  /** The next key of the next tenant that may have a slot; that tenant goes to the end of the line. */
  private unpark(): Entry | undefined {
    for (const [tenantId, keys] of this.parked) {
      const [key] = keys;
      if (key === undefined || (this.othersMayWait && this.activeOf(tenantId) >= this.share)) {
        continue;
      }
      keys.delete(key);
      this.parkedCount -= 1;
      this.parked.delete(tenantId);
      if (keys.size > 0) {
        this.parked.set(tenantId, keys);
      }
      return { key, tenantId };
    }
    return undefined;
  }
}
