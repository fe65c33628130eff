import { Queue, Worker, type IQueueBackend, type Job, type JobsOptions } from 'bullmq';
import { z } from 'zod';
import { ReconcileQueue } from '../../reconcile/runtime/reconcile-queue';
import type { ReconcileLog } from '../../reconcile/runtime/reconcile-metrics';
import type { QueueConnection } from './queue-connection';

export const RECONCILE_QUEUE = 'reconcile';

/** Keys only: a job says where to look, never what was seen. */
const Payload = z.object({ key: z.string().max(200) });
type Payload = z.output<typeof Payload>;
type HintQueue = Queue<Payload, void, string, Payload, void, string, IQueueBackend>;
type HintWorker = Worker<Payload, void, string, IQueueBackend>;

/** One attempt, and nothing kept: failures and back-off are columns of the key's row. */
const ONCE: JobsOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };

/** keepLastIfActive: a hint during a run makes exactly one more run, right after it. */
const hintJob = (key: string) => ({
  name: 'hint',
  data: { key },
  opts: { ...ONCE, deduplication: { id: key, keepLastIfActive: true } },
});

/** Never moveToDelayed: it swallows hints. A wake-up is a job of its own, and the next one replaces it. */
const wakeJob = (key: string, delay: number) => ({
  name: 'wake',
  data: { key },
  opts: { ...ONCE, delay, deduplication: { id: `wake:${key}`, replace: true } },
});

export interface BullmqReconcileQueueOptions {
  readonly concurrency: number;
  readonly log: ReconcileLog;
  /** A worker that died is noticed after this; its jobs run again. In milliseconds. */
  readonly lockMs?: number;
  /** An own name keeps suites on one Redis apart. */
  readonly name?: string;
}

export class BullmqReconcileQueue extends ReconcileQueue {
  private readonly queue: HintQueue;
  private readonly name: string;
  private worker: HintWorker | undefined;

  constructor(
    private readonly connection: QueueConnection,
    private readonly options: BullmqReconcileQueueOptions,
  ) {
    super();
    this.name = options.name ?? RECONCILE_QUEUE;
    this.queue = new Queue(this.name, { connection: connection.producer }, connection.backend);
    this.queue.on('error', (error) => this.unwell(error));
  }

  async hint(keys: readonly string[]): Promise<void> {
    const [key] = keys;
    if (keys.length === 1 && key !== undefined) {
      const { name, data, opts } = hintJob(key);
      await this.queue.add(name, data, opts);
    } else if (keys.length > 1) {
      await this.queue.addBulk(keys.map(hintJob));
    }
  }

  async wake(key: string, at: Date): Promise<void> {
    const { name, data, opts } = wakeJob(key, Math.max(0, at.getTime() - Date.now()));
    await this.queue.add(name, data, opts);
  }

  async start(consume: (key: string) => Promise<void>): Promise<void> {
    const lockDuration = this.options.lockMs ?? 30_000;
    const worker: HintWorker = new Worker(
      this.name,
      (job: Job<Payload, void>) => this.process(job, consume),
      {
        connection: this.connection.worker,
        concurrency: this.options.concurrency,
        lockDuration,
        stalledInterval: lockDuration,
        // An idle worker is woken by the backend; this is how often it looks by itself, in seconds.
        drainDelay: 30,
      },
      this.connection.backend,
    );
    worker.on('error', (error) => this.unwell(error));
    this.worker = worker;
    await worker.waitUntilReady();
  }

  /** Rejects when the queue does not answer; for readiness. */
  async ping(): Promise<void> {
    await this.queue.getWaitingCount();
  }

  async stop(): Promise<void> {
    await this.worker?.close();
    await this.queue.close();
    await this.connection.close();
  }

  private async process(job: Job<Payload, void>, consume: (key: string) => Promise<void>): Promise<void> {
    const { key } = Payload.parse(job.data);
    if (job.name === 'wake') {
      // While this job is active its deduplication id would swallow the next wake-up, which this very run asks for.
      await job.removeDeduplicationKey();
    }
    await consume(key);
  }

  private unwell(error: Error): void {
    this.options.log.warn({ queue: this.name, error: error.message }, 'queue connection is not well');
  }
}
