/** Collects every fault of one text instead of stopping at the first, with the places of what was read. */
import type { Violation } from '../shared/errors';
import type { Place } from './yaml-tree';

export interface Fault {
  readonly path: string;
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
}

/** More than this helps nobody; the rest is counted. */
const MAX_FAULTS = 200;

export class Report {
  private readonly refused: Violation[] = [];
  private readonly warned: Violation[] = [];
  private readonly places = new Map<string, Place>();
  private unlisted = 0;

  refuse(at: Place | undefined, fault: Fault): void {
    if (this.refused.length >= MAX_FAULTS) {
      this.unlisted += 1;
      return;
    }
    this.refused.push({ ...at, ...fault });
  }

  warn(at: Place | undefined, fault: Fault): void {
    if (this.warned.length < MAX_FAULTS) {
      this.warned.push({ ...at, ...fault });
    }
  }

  remember(path: string, at: Place): void {
    this.places.set(path, at);
  }

  locate(path: string): Place | undefined {
    return this.places.get(path);
  }

  get violations(): readonly Violation[] {
    const sorted = [...this.refused].sort(byPlace);
    return this.unlisted === 0 ? sorted : [...sorted, tooMany(this.unlisted)];
  }

  get warnings(): readonly Violation[] {
    return [...this.warned].sort(byPlace);
  }
}

function byPlace(a: Violation, b: Violation): number {
  const sameFile = (a.file ?? '') === (b.file ?? '');
  return sameFile ? (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0) : 0;
}

const tooMany = (count: number): Violation => ({
  path: '',
  code: 'TOO_MANY_FAULTS',
  reason: `${count} more faults are not listed.`,
  remedy: 'Correct the listed ones and check again.',
});
