/** Waiting that an abort signal ends. */

/** Timers longer than this overflow in Node and fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Resolves after the time, or at once when the signal is aborted; look at the signal afterwards. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, LONGEST_TIMER_MS));
    signal.addEventListener('abort', end);
  });
}

/**
 * Rejects with the signal's reason when it is aborted first. The promise runs on, its late result or failure unheard.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(reasonOf(signal));
    };
    if (signal.aborted) {
      promise.catch(() => undefined);
      abort();
      return;
    }
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}

export function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('aborted');
}

/** Throws the reason of an aborted signal. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) {
    throw reasonOf(signal);
  }
}

/** Asked again after an `await`, which the compiler takes for settled. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
