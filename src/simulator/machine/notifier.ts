/** Wakes what waits for something in a cluster to change, so that nothing here needs to poll. */
import { EventEmitter, once } from 'node:events';

/** In case a change comes from outside (another process, real etcd) and is not announced here. */
const FALLBACK_MS = 5_000;

export class Notifier {
  private readonly emitter = new EventEmitter().setMaxListeners(0);
  private readonly versions = new Map<string, number>();

  notify(topic: string): void {
    this.versions.set(topic, this.version(topic) + 1);
    this.emitter.emit(topic);
  }

  /** Take it before looking; what changes after that ends the wait at once. */
  version(topic: string): number {
    return this.versions.get(topic) ?? 0;
  }

  async wait(topic: string, since: number, signal: AbortSignal): Promise<void> {
    if (this.version(topic) !== since || signal.aborted) {
      return;
    }
    const timeout = AbortSignal.timeout(FALLBACK_MS);
    await once(this.emitter, topic, { signal: AbortSignal.any([signal, timeout]) }).catch(() => undefined);
  }
}

/** Ends early, and rejects, when the signal does. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms <= 0) {
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
