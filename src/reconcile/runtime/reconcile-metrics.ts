export const PASS_RESULTS = [
  'settled',
  'requeued',
  'failed',
  'fenced-out',
  'gone',
  'busy',
  'not-due',
  'missing',
] as const;
export type PassResult = (typeof PASS_RESULTS)[number];

/** What the runtime counts. src/platform/metrics has the real one. */
export abstract class ReconcileMetrics {
  abstract passEnded(kind: string, result: PassResult, seconds: number): void;
  abstract stepEnded(type: string, outcome: 'done' | 'failed', seconds: number): void;
  abstract hinted(source: 'relay' | 'sweep' | 'loop', count: number): void;
  /** Oldest change of a published batch: from its insert to its publication. */
  abstract outboxLag(seconds: number): void;
}

/** The part of a logger that the runtime uses; the message is a constant phrase, facts are fields. */
export interface ReconcileLog {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
