import { Client } from 'pg';
import { ChangeSignal } from '../../modules/watch/change-feed';

const RETRY_MS = 1000;

/** LISTEN on the relay's channel; while the connection is away, watches catch up by their own heartbeat. */
export class PgChangeSignal extends ChangeSignal {
  private readonly listeners = new Set<() => void>();
  private client: Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly url: string) {
    super();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async start(): Promise<void> {
    if (this.stopped) {
      return;
    }
    const client = new Client({
      connectionString: this.url,
      application_name: 'quorate-watch',
      keepAlive: true,
    });
    client.on('notification', () => this.tell());
    client.on('error', () => this.reconnect(client));
    client.on('end', () => this.reconnect(client));
    this.client = client;
    try {
      await client.connect();
      await client.query('LISTEN quorate_changes');
      this.tell();
    } catch {
      this.reconnect(client);
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.retry);
    await this.client?.end().catch(() => undefined);
  }

  private tell(): void {
    for (const listener of this.listeners) {
      listener();
    }
  }

  private reconnect(client: Client): void {
    if (this.stopped || this.client !== client) {
      return;
    }
    this.client = undefined;
    client.end().catch(() => undefined);
    this.retry = setTimeout(() => void this.start(), RETRY_MS);
  }
}
