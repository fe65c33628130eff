/** Growing pauses between attempts, capped, with jitter: many agents must not come back in step. */

export interface BackOffLimits {
  readonly firstMs: number;
  readonly maxMs: number;
}

export class BackOff {
  private failures = 0;

  constructor(
    private readonly limits: BackOffLimits,
    private readonly random: () => number = Math.random,
  ) {}

  /** Between half and all of what this failure deserves; never less than half of the first pause. */
  nextMs(): number {
    // Past 2^30 the cap has long been reached; the exponent itself must not overflow.
    const full = Math.min(this.limits.firstMs * 2 ** Math.min(this.failures, 30), this.limits.maxMs);
    this.failures += 1;
    return full * (0.5 + this.random() / 2);
  }

  reset(): void {
    this.failures = 0;
  }
}
