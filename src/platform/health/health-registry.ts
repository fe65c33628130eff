/** What must work for this process to be of use; each role registers its own checks. */
import { Injectable } from '@nestjs/common';

export type HealthCheck = () => Promise<unknown>;

export interface Readiness {
  readonly ready: boolean;
  /** Without addresses or error texts: the answer is public. */
  readonly checks: Readonly<Record<string, 'ok' | 'failed'>>;
}

const CHECK_TIMEOUT_MS = 2000;

@Injectable()
export class HealthRegistry {
  private readonly checks = new Map<string, HealthCheck>();
  private serving = false;

  /** `check` resolves when all is well; past two seconds it counts as failed. */
  register(name: string, check: HealthCheck): void {
    this.checks.set(name, check);
  }

  /** True once everything has started, false as soon as stopping begins. */
  setServing(serving: boolean): void {
    this.serving = serving;
  }

  async readiness(): Promise<Readiness> {
    const results = await Promise.all(
      [...this.checks].map(async ([name, check]) => [name, await passes(check)] as const),
    );
    const started = ['serving', this.serving ? 'ok' : 'failed'] as const;
    const checks = Object.fromEntries([started, ...results]);
    return { ready: Object.values(checks).every((result) => result === 'ok'), checks };
  }
}

async function passes(check: HealthCheck): Promise<'ok' | 'failed'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'failed'>((resolve) => {
    timer = setTimeout(() => resolve('failed'), CHECK_TIMEOUT_MS);
  });
  const result = Promise.resolve()
    .then(check)
    .then(
      () => 'ok' as const,
      () => 'failed' as const,
    );
  const first = await Promise.race([result, late]);
  clearTimeout(timer);
  return first;
}
