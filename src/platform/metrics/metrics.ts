/** The service's own metrics, all with the prefix quorate_. Labels are closed sets: never a tenant, a cluster or an id. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export class Metrics {
  readonly registry = new Registry();

  private readonly passes = this.counter('reconcile_total', 'Reconcile passes by result.', [
    'kind',
    'result',
  ]);
  private readonly passSeconds = this.histogram('reconcile_duration_seconds', 'Time of one reconcile pass.', [
    'kind',
  ]);
  private readonly fencedOut = this.counter('fenced_out_total', 'Passes that lost their lease.', ['kind']);
  private readonly steps = this.counter('reconcile_steps_total', 'Steps taken by outcome.', [
    'type',
    'outcome',
  ]);
  private readonly stepSeconds = this.histogram('reconcile_step_duration_seconds', 'Time of one step.', [
    'type',
  ]);
  private readonly hints = this.counter('queue_hints_total', 'Hints sent to the queue by their source.', [
    'source',
  ]);
  private readonly lag = this.gauge(
    'outbox_lag_seconds',
    'Age of the oldest change in the last published batch.',
  );

  /** Event loop, heap and GC; not in tests, where they would outlive the suite. */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.registry, prefix: 'quorate_' });
  }

  passEnded(kind: string, result: string, seconds: number): void {
    this.passes.inc({ kind, result });
    if (result === 'fenced-out') {
      this.fencedOut.inc({ kind });
    }
    // A pass that did not get the lease did nothing, and would hide how long real ones take.
    if (result !== 'busy' && result !== 'not-due' && result !== 'missing') {
      this.passSeconds.observe({ kind }, seconds);
    }
  }

  stepEnded(type: string, outcome: string, seconds: number): void {
    this.steps.inc({ type, outcome });
    this.stepSeconds.observe({ type }, seconds);
  }

  hinted(source: string, count: number): void {
    this.hints.inc({ source }, count);
  }

  outboxLag(seconds: number): void {
    this.lag.set(seconds);
  }

  counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name: `quorate_${name}`, help, labelNames, registers: [this.registry] });
  }

  gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name: `quorate_${name}`, help, labelNames, registers: [this.registry] });
  }

  /** A gauge that is read when it is scraped. */
  readGauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `quorate_${name}`,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** Buckets in seconds, 1 ms to 30 s. */
  histogram(name: string, help: string, labelNames: string[] = []): Histogram {
    return new Histogram({
      name: `quorate_${name}`,
      help,
      labelNames,
      buckets: FAST,
      registers: [this.registry],
    });
  }
}
