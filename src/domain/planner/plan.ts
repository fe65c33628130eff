/** What a planner answers: the steps it would take now, what is true, and why it takes no others. Pure data. */
import type { ConditionDraft } from '../shared/condition';

/** One action on one target. A planner extends it with what the action needs; `execute` decides nothing. */
export interface Step {
  /** CamelCase, stable: `RequestMachines`, `ApplyConfig`. */
  readonly type: string;
  /** What it acts on, by a name that the tenant may know. */
  readonly target: string;
  /** The rule that asks for it, as a sentence. */
  readonly because: string;
  /** Disruptive steps go one at a time per cluster and end the pass: the next one needs a new observation. */
  readonly disruptive: boolean;
  /** How long the step may run, in milliseconds from its start; kept in the journal as `deadline_at`. */
  readonly deadlineMs: number;
  /** A free step that depends on no other step of this plan; neighbors that say so may run together. */
  readonly parallel?: boolean;
}

export interface Refusal {
  readonly action: string;
  readonly target: string;
  readonly reason: string;
  /** The numbers behind it, for instance `{n: 3, healthy: 2, quorum: 2}`. */
  readonly arithmetic?: Readonly<Record<string, unknown>>;
}

/** Answers "why does my cluster do (not do) this?" without reading a log. */
export interface Explain {
  readonly summary: string;
  readonly next: readonly Pick<Step, 'type' | 'target' | 'because'>[];
  readonly waiting: readonly { readonly on: string; readonly message: string }[];
  readonly refused: readonly Refusal[];
}

export interface Plan<S extends Step = Step> {
  /** In the order in which they are to be taken. */
  readonly steps: readonly S[];
  readonly conditions: readonly ConditionDraft[];
  readonly state: string;
  readonly explain: Explain;
  /** When to look again, in milliseconds; undefined = settled: a change or the slow resync wakes it. */
  readonly requeueAfterMs: number | undefined;
}
