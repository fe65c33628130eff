/** A duration field with its bounds; out of bounds is a fault, never silently clamped. */
import type { Fields } from '../yaml/fields';
import { parseDuration } from './parse-duration';

export interface SecondsBounds {
  readonly min: number;
  readonly max: number;
  readonly default: number;
  /** 0 is allowed although below min, and means off. */
  readonly zeroIsOff?: boolean;
}

export function readSeconds(fields: Fields, key: string, bounds: SecondsBounds): number {
  const written = fields.text(key);
  if (written === undefined) {
    return bounds.default;
  }
  const seconds = parseDuration(written);
  if (seconds === undefined) {
    const reason = `"${written.slice(0, 40)}" is not a duration.`;
    fields.refuse(key, 'DURATION', reason, 'Write it as 1h, 30m or 6h0m0s.');
    return bounds.default;
  }
  const off = seconds === 0 && bounds.zeroIsOff === true;
  if (!off && (seconds < bounds.min || seconds > bounds.max)) {
    const reason = `${written} is outside ${inWords(bounds.min)} to ${inWords(bounds.max)}.`;
    fields.refuse(
      key,
      'DURATION_RANGE',
      reason,
      `Choose a duration in that range${bounds.zeroIsOff ? ', or 0 for off' : ''}.`,
    );
  }
  return seconds;
}

const inWords = (seconds: number): string => (seconds % 3600 === 0 ? `${seconds / 3600}h` : `${seconds}s`);
