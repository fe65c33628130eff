/** When a failed request is tried again: 5 s, doubling to 10 min, and never before the provider said so. */
import type { RequestAction } from './choose-action';

export const FIRST_RETRY_MS = 5_000;
export const LAST_RETRY_MS = 600_000;
/** More than this nobody waits for; a provider that asks for more gets this. */
export const LONGEST_WISH_MS = 3_600_000;

export interface Failure {
  readonly action: RequestAction;
  /** Claims for this action so far; the first one is 1. */
  readonly attempt: number;
  readonly retryable: boolean;
  /** 0: the provider leaves the pace to us. */
  readonly retryAfterSeconds: number;
}

/** Milliseconds from now; undefined: never, the request is given up. A machine to destroy is never given up. */
export function planRetry({ action, attempt, retryable, retryAfterSeconds }: Failure): number | undefined {
  if (!retryable && action === 'provision') {
    return undefined;
  }
  const backOff = retryable
    ? Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, attempt - 1), LAST_RETRY_MS)
    : LAST_RETRY_MS;
  return Math.max(backOff, Math.min(retryAfterSeconds * 1000, LONGEST_WISH_MS));
}
