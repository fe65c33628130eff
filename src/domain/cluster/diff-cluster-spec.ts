/** What a sync would change, field by field. Contents of patches and manifests are named and never shown. */
import type { ClusterSpec } from './cluster-spec';

export interface SpecChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: string;
  readonly after?: string;
}

const HIDDEN = new Set(['content']);
const KEYED_BY = ['name', 'machineId'] as const;

export function diffClusterSpec(before: ClusterSpec, after: ClusterSpec): SpecChange[] {
  return diff('', before, after, false);
}

function diff(path: string, before: unknown, after: unknown, isHidden: boolean): SpecChange[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) =>
      diff(path === '' ? key : `${path}.${key}`, before[key], after[key], HIDDEN.has(key)),
    );
  }
  if (before === undefined && after === undefined) {
    return [];
  }
  if (before === undefined || after === undefined) {
    return [{ path, change: before === undefined ? 'added' : 'removed', ...shown(before, after, isHidden) }];
  }
  const left = comparable(before);
  const right = comparable(after);
  if (isRecord(left) && isRecord(right)) {
    return [...diff(path, left, right, isHidden), ...reordered(path, left, right)];
  }
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [{ path, change: 'changed', ...shown(before, after, isHidden) }];
}

/** Lists of named things are compared by name, so that a new first one does not change all others. */
function comparable(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0) {
    return Array.isArray(value) ? {} : value;
  }
  const entries = value.map((item: unknown, index) => [keyOf(item) ?? String(index), item] as const);
  return Object.fromEntries(entries);
}

/** Order has a meaning: patches weigh by it. */
function reordered(
  path: string,
  left: Record<string, unknown>,
  right: Record<string, unknown>,
): SpecChange[] {
  const kept = Object.keys(left).filter((key) => key in right);
  const now = Object.keys(right).filter((key) => key in left);
  return kept.join('\n') === now.join('\n')
    ? []
    : [{ path, change: 'changed', before: kept.join(', '), after: now.join(', ') }];
}

function keyOf(item: unknown): string | undefined {
  if (!isRecord(item)) {
    return typeof item === 'string' ? item : undefined;
  }
  const key = KEYED_BY.map((name) => item[name]).find((name) => typeof name === 'string');
  return typeof key === 'string' ? key : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(before: unknown, after: unknown, isHidden: boolean): Pick<SpecChange, 'before' | 'after'> {
  const isPlain = (value: unknown): value is string | number | boolean =>
    ['string', 'number', 'boolean'].includes(typeof value);
  const text = (value: unknown): string | undefined =>
    !isHidden && isPlain(value) ? String(value).slice(0, 200) : undefined;
  const [left, right] = [text(before), text(after)];
  return {
    ...(left === undefined ? {} : { before: left }),
    ...(right === undefined ? {} : { after: right }),
  };
}
