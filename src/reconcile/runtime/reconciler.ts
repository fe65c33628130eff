import type { Plan, Step } from '../../domain/planner/plan';
import type { Lease } from './lease';

/** One kind of object that is reconciled: observe -> plan -> status -> execute, by the loop and in this order. */
export interface Reconciler<Snapshot, S extends Step = Step> {
  readonly kind: 'cluster';
  /** Everything the plan needs, read at one point in time; undefined = the object is gone, nothing is left to do. */
  observe(id: string, lease: Lease): Promise<Snapshot | undefined>;
  /** Pure. */
  plan(snapshot: Snapshot): Plan<S>;
  /** Before any step, so that people see why before they see what. Writes nothing when nothing changed. */
  writeStatus(snapshot: Snapshot, plan: Plan<S>, lease: Lease): Promise<void>;
  /** Idempotent; makes no decision; every write through FencedWrites. A throw means back-off and a new observation. */
  execute(step: S, snapshot: Snapshot, lease: Lease): Promise<void>;
}
