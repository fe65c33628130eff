import { Client } from 'pg';
import { ProviderWorkSignal } from '../../modules/providers/provider-work-signal';

const RETRY_MS = 1000;

/** LISTEN on the channel of the trigger on machine_requests; one connection per process. */
export class PgProviderWorkSignal extends ProviderWorkSignal {
  private readonly listeners = new Map<string, Set<() => void>>();
  private client: Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly url: string) {
    super();
  }

  subscribe(providerId: string, listener: () => void): () => void {
    const listeners = this.listeners.get(providerId) ?? new Set();
    this.listeners.set(providerId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) {
        this.listeners.delete(providerId);
      }
    };
  }

  async start(): Promise<void> {
    if (this.stopped) {
      return;
    }
    const client = new Client({
      connectionString: this.url,
      application_name: 'quorate-provider-work',
      keepAlive: true,
    });
    this.client = client;
    const again = (): void => {
      if (!this.stopped && this.client === client) {
        this.client = undefined;
        client.end().catch(() => undefined);
        this.retry = setTimeout(() => void this.start(), RETRY_MS);
      }
    };
    client.on('notification', ({ payload }) => this.listeners.get(payload ?? '')?.forEach((tell) => tell()));
    client.on('error', again);
    client.on('end', again);
    await client
      .connect()
      .then(() => client.query('LISTEN quorate_provider_work'))
      // What was said while nobody listened is not said again.
      .then(() => this.listeners.forEach((listeners) => listeners.forEach((tell) => tell())))
      .catch(again);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.retry);
    await this.client?.end().catch(() => undefined);
  }
}
