/** The one taxonomy of refusals; each transport (HTTP, gRPC, reconcile loop, CLI) maps `kind`, people read `code`. */

export const ERROR_KINDS = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'not-found',
  'already-exists',
  'stale',
  'refused',
  'limited',
  'unavailable',
] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** One fault in something that a person wrote: where it is, why it is wrong, what to do. */
export interface Violation {
  /** File as the caller named it; absent for request bodies. */
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
  /** Where in the structure: `ControlPlane.managed.size`, or a JSON pointer for request bodies. */
  readonly path: string;
  /** UPPER_SNAKE, stable. */
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
}

/**
 * A refusal with a stable code. Never put secrets, or names that the caller may not know, into message or detail.
 */
export class DomainError extends Error {
  constructor(
    readonly kind: ErrorKind,
    /** UPPER_SNAKE, listed in docs/reference/problems.md. */
    readonly code: string,
    message: string,
    readonly options: {
      readonly violations?: readonly Violation[];
      /** What to do now, as a sentence or a command. */
      readonly help?: string;
      readonly retryAfterMs?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'DomainError';
  }

  get violations(): readonly Violation[] {
    return this.options.violations ?? [];
  }
}
