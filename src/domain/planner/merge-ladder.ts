/** Keeps the times of a ladder's rungs while their states move on. Times are ISO 8601. */
import type { LadderRung } from './cluster-plan';

export interface TimedRung extends LadderRung {
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

/** A rung starts when it is first seen running (or done) and finishes when it is first seen done. */
export function mergeLadder(
  previous: readonly TimedRung[],
  rungs: readonly LadderRung[],
  now: Date,
): TimedRung[] {
  return rungs.map((rung) => {
    const before = previous.find((r) => r.name === rung.name);
    if (rung.state === 'pending') {
      return rung;
    }
    const startedAt = before?.startedAt ?? now.toISOString();
    return rung.state === 'done'
      ? { ...rung, startedAt, finishedAt: before?.finishedAt ?? now.toISOString() }
      : { ...rung, startedAt };
  });
}
