import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FrameSink } from './watch-session';

/** Server-sent events over one response. A reader that stops reading for too long is let go. */
export class ReplySink implements FrameSink {
  private closed = false;
  private signalled = false;
  private wake: (timedOut: boolean) => void = () => undefined;

  constructor(private readonly response: ServerResponse) {
    response.on('close', () => this.end());
    response.on('error', () => this.end());
  }

  get isClosed(): boolean {
    return this.closed;
  }

  async write(text: string): Promise<void> {
    if (!this.closed && !this.response.write(text)) {
      await Promise.race([once(this.response, 'drain'), once(this.response, 'close')]);
    }
  }

  signal(): void {
    this.signalled = true;
    this.wake(false);
  }

  /** Ends the pause too. */
  end(): void {
    this.closed = true;
    this.wake(false);
  }

  async pause(ms: number): Promise<boolean> {
    const timedOut =
      !this.signalled && !this.closed
        ? await new Promise<boolean>((resolve) => {
            const timer = setTimeout(() => resolve(true), ms);
            this.wake = (value) => {
              clearTimeout(timer);
              resolve(value);
            };
          })
        : false;
    this.signalled = false;
    return timedOut;
  }
}
