/** The cluster's reconciler: looks at its machines and rows, asks the planner, shows the plan, takes its steps. */
import type { ClusterPlan } from '../../domain/planner/cluster-plan';
import type { ClusterSnapshot } from '../../domain/planner/cluster-snapshot';
import type { ClusterStep } from '../../domain/planner/cluster-step';
import { planCluster } from '../../domain/planner/plan-cluster';
import type { Lease } from '../runtime/lease';
import type { Reconciler } from '../runtime/reconciler';
import { buildSnapshot } from './build-snapshot';
import type { ClusterRows } from './cluster-rows';
import { executeStep, type StepTools } from './execute-step';
import { probeMachines, withFacts } from './probe-machines';
import { statusWrite } from './status-write';

export interface ObservedCluster {
  readonly rows: ClusterRows;
  readonly snapshot: ClusterSnapshot;
}

export class ClusterReconciler implements Reconciler<ObservedCluster, ClusterStep> {
  readonly kind = 'cluster';

  constructor(private readonly tools: StepTools) {}

  async observe(id: string, lease: Lease): Promise<ObservedCluster | undefined> {
    const { store, secrets, talos, around, now } = this.tools;
    const loaded = await store.load(id);
    if (loaded === undefined) {
      return undefined;
    }
    const bundle = loaded.cluster.hasSecrets ? await secrets.load(id) : undefined;
    const seen = await probeMachines(talos, loaded, { now, secrets: bundle });
    if (seen.length > 0) {
      await store.writeFacts(lease, seen);
    }
    const rows = withFacts(loaded, seen);
    return { rows, snapshot: buildSnapshot(rows, around, now()) };
  }

  plan({ snapshot }: ObservedCluster): ClusterPlan {
    return planCluster(snapshot);
  }

  async writeStatus({ rows }: ObservedCluster, plan: ClusterPlan, lease: Lease): Promise<void> {
    const status = statusWrite(rows, plan, this.tools.now());
    if (status !== undefined) {
      await this.tools.store.writeStatus(lease, rows.cluster, status);
    }
  }

  execute(step: ClusterStep, { rows }: ObservedCluster, lease: Lease): Promise<void> {
    return executeStep(this.tools, step, rows, lease);
  }
}
