/** Runs what the queue hands out, through fair shares, until it is stopped. */
import { FairShare } from './fair-share';
import type { LeaseStore } from './lease-store';
import { reasonOf } from './reason-of';
import type { ReconcileLog, PassResult } from './reconcile-metrics';
import type { ReconcileQueue } from './reconcile-queue';

interface Parts {
  readonly queue: ReconcileQueue;
  readonly leases: Pick<LeaseStore, 'tenantOf'>;
  readonly loop: { run(key: string): Promise<PassResult> };
  readonly log: ReconcileLog;
}

/** A key's tenant never changes, so that what was read once holds. */
const TENANTS_REMEMBERED = 50_000;

export class ReconcileWorker {
  private readonly shares: FairShare;
  private readonly tenants = new Map<string, string>();

  constructor(
    private readonly parts: Parts,
    slots: number,
    quietMs?: number,
  ) {
    this.shares = new FairShare(slots, (key) => this.run(key), quietMs);
  }

  start(): Promise<void> {
    return this.parts.queue.start((key) => this.consume(key));
  }

  /** Passes in flight come to their end; the queue is closed after them, because they send hints. */
  async stop(): Promise<void> {
    await this.shares.stop();
    await this.parts.queue.stop();
  }

  private async consume(key: string): Promise<void> {
    const tenantId = await this.tenantOf(key);
    if (tenantId !== undefined) {
      await this.shares.offer(key, tenantId);
    }
  }

  private async run(key: string): Promise<void> {
    await this.parts.loop.run(key).catch((error: unknown) => {
      // Its row is still due, or its lease runs out: the sweep comes back to it.
      this.parts.log.error({ key, error: reasonOf(error) }, 'reconcile pass broke off');
    });
  }

  private async tenantOf(key: string): Promise<string | undefined> {
    const known = this.tenants.get(key);
    if (known !== undefined) {
      return known;
    }
    const tenantId = await this.parts.leases.tenantOf(key);
    if (tenantId !== undefined) {
      if (this.tenants.size >= TENANTS_REMEMBERED) {
        this.tenants.clear();
      }
      this.tenants.set(key, tenantId);
    }
    return tenantId;
  }
}
