/** Rolling strategies. `type: Unset` is the same as none; a `rolling` block counts even when `type` is left out. */
import type { RollingStrategy } from '../cluster/cluster-spec';
import { openFields, type Fields } from '../yaml/fields';

const DEFAULT_PARALLELISM = 1;
const MAX_PARALLELISM = 1000;

export function readStrategy(parent: Fields, key: string): RollingStrategy | undefined {
  const spot = parent.get(key);
  const fields = spot && openFields(spot, { keys: ['type', 'rolling'] }, parent.report);
  if (fields === undefined) {
    return undefined;
  }
  const type = fields.text('type') ?? 'Rolling';
  if (type !== 'Rolling' && type !== 'Unset') {
    fields.refuse(
      'type',
      'STRATEGY_TYPE',
      `There is no strategy "${type.slice(0, 40)}".`,
      'Write Rolling or Unset.',
    );
  }
  const rollingSpot = fields.get('rolling');
  const rolling = rollingSpot && openFields(rollingSpot, { keys: ['maxParallelism'] }, parent.report);
  const maxParallelism = (rolling && readParallelism(rolling)) ?? DEFAULT_PARALLELISM;
  return type === 'Rolling' ? { maxParallelism } : undefined;
}

/** 0 would hold every change back for ever without saying so. */
function readParallelism(rolling: Fields): number | undefined {
  const text = rolling.text('maxParallelism');
  if (text === undefined) {
    return undefined;
  }
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > MAX_PARALLELISM) {
    const reason = `maxParallelism must be 1 to ${MAX_PARALLELISM}, not "${text.slice(0, 40)}".`;
    rolling.refuse(
      'maxParallelism',
      'PARALLELISM',
      reason,
      'Write at least 1; lock machines to hold changes back.',
    );
    return undefined;
  }
  return value;
}
