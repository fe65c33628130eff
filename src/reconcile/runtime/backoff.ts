/** When a failed pass is tried again: min(5 min, 1 s * 2^n) with jitter; any hint may run it earlier. */

/** In [0, 1). Injected, so that a test or a simulation has no chance in it. */
export type Jitter = () => number;

const FIRST_MS = 1_000;
const LIMIT_MS = 300_000;

/** Half of the delay is fixed and half is chance: replicas that failed together do not come back together. */
export function backoffMs(failures: number, jitter: Jitter): number {
  const full = Math.min(LIMIT_MS, FIRST_MS * 2 ** Math.min(failures, 20));
  return Math.round(full / 2 + (full / 2) * jitter());
}

/**
 * Settled objects are looked at again after an hour, in case that something changed and nobody said so. Hints come in
 * the transaction that makes the change, so this is a safety net; at 2,000 idle clusters it costs one pass in 2 s.
 */
export const SLOW_RESYNC_MS = 3_600_000;

/** 80 % to 120 %, so that clusters made together drift apart. */
export function slowResyncMs(jitter: Jitter): number {
  return Math.round(SLOW_RESYNC_MS * (0.8 + 0.4 * jitter()));
}
