/**
 * One replica leads: it holds an advisory lock in a session of its own, and everything that only the leader may do runs
 * in that same session. When the session dies, the lock and the ability to do harm are gone together.
 */
import { Client } from 'pg';
import { reasonOf } from '../../reconcile/runtime/reason-of';
import type { ReconcileLog } from '../../reconcile/runtime/reconcile-metrics';

export interface LeaderDuty {
  /** Called when this replica becomes the leader; the returned function is called when it is not any more. */
  lead(session: Client): () => void;
}

export interface LeaderOptions {
  readonly url: string;
  readonly log: ReconcileLog;
  /** How often a follower tries, in milliseconds. Not a blocking lock: a statement that waits holds back vacuum. */
  readonly retryMs?: number;
}

const LOCK = `SELECT pg_try_advisory_lock(hashtextextended('quorate:relay', 0)) AS mine`;

export class ReconcileLeader {
  private session: Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private resign: (() => void) | undefined;
  private stopped = false;
  private trying: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: LeaderOptions,
    private readonly duty: LeaderDuty,
  ) {}

  get leads(): boolean {
    return this.resign !== undefined;
  }

  start(): Promise<void> {
    this.trying = this.attempt();
    return this.trying;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.trying;
    this.stepDown();
    const session = this.session;
    this.session = undefined;
    await session?.end().catch(() => undefined);
  }

  private async attempt(): Promise<void> {
    try {
      const session = this.session ?? (await this.connect());
      const { rows } = await session.query<{ mine: boolean }>(LOCK);
      if (rows[0]?.mine === true) {
        this.options.log.info({}, 'leads the outbox relay and the sweep');
        this.resign = this.duty.lead(session);
        return;
      }
    } catch (error) {
      this.options.log.warn({ error: reasonOf(error) }, 'leader election failed');
      this.lose();
    }
    this.tryLater();
  }

  private async connect(): Promise<Client> {
    const session = new Client({
      connectionString: this.options.url,
      keepAlive: true,
      application_name: 'quorate-leader',
      connectionTimeoutMillis: 10_000,
    });
    const lost = () => {
      if (this.session === session && !this.stopped) {
        this.lose();
        this.tryLater();
      }
    };
    session.on('error', lost);
    session.on('end', lost);
    await session.connect();
    this.session = session;
    return session;
  }

  private lose(): void {
    this.stepDown();
    const session = this.session;
    this.session = undefined;
    session?.end().catch(() => undefined);
  }

  private stepDown(): void {
    const resign = this.resign;
    this.resign = undefined;
    resign?.();
  }

  private tryLater(): void {
    clearTimeout(this.timer);
    if (!this.stopped) {
      this.timer = setTimeout(() => {
        this.trying = this.attempt();
      }, this.options.retryMs ?? 2_000);
    }
  }
}
