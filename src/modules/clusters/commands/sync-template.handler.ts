import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { listMachineSets } from '../../../domain/cluster/list-machine-sets';
import { listTenantPatches } from '../../../domain/cluster/list-tenant-patches';
import { Config } from '../../../platform/config/config';
import type { OperationRow } from '../../operations/operation.repository';
import { AuditLog } from '../../tenancy/audit-log';
import type { Invocation } from '../../tenancy/invocation';
import { TenantUnitOfWork, type TenantTx } from '../../tenancy/tenant-unit-of-work';
import { ClusterRepository, type ClusterRow } from '../cluster.repository';
import { ClusterOperations } from '../cluster-operations';
import { newEndpointHost } from '../new-endpoint-host';
import { SyncPlanner, type SyncPlan } from '../plan-sync';
import { SyncTemplate, type SyncedTemplate } from './sync-template.command';

@CommandHandler(SyncTemplate)
export class SyncTemplateHandler implements ICommandHandler<SyncTemplate> {
  constructor(
    private readonly config: Config,
    private readonly work: TenantUnitOfWork,
    private readonly planner: SyncPlanner,
    private readonly clusters: ClusterRepository,
    private readonly operations: ClusterOperations,
    private readonly audit: AuditLog,
  ) {}

  async execute({ invocation, source, allowDowngrade }: SyncTemplate): Promise<SyncedTemplate> {
    const compiled = await this.planner.compile(source);
    return this.work.run(invocation.tenantId, async (tx) => {
      const plan = await this.planner.plan(tx, compiled, { lock: true, allowDowngrade });
      const isKept = plan.action === 'none' && plan.existing !== undefined;
      const operation = isKept
        ? await this.keep(tx, invocation, plan.existing, source.template)
        : await this.write(tx, invocation, plan, source.template);
      return { operation, warnings: plan.warnings };
    });
  }

  private async keep(
    tx: TenantTx,
    invocation: Invocation,
    cluster: ClusterRow,
    templateText: string,
  ): Promise<OperationRow> {
    if (cluster.templateText !== templateText) {
      await this.clusters.updateText(tx, cluster.id, templateText);
    }
    return this.operations.unchanged(tx, cluster, invocation.actor);
  }

  private async write(
    tx: TenantTx,
    invocation: Invocation,
    plan: SyncPlan,
    templateText: string,
  ): Promise<OperationRow> {
    const { spec, existing } = plan;
    const write = { spec, templateText, sets: listMachineSets(spec), patches: listTenantPatches(spec) };
    const cluster =
      existing === undefined
        ? await this.clusters.create(tx, {
            ...write,
            endpointHost: newEndpointHost(this.config.values.CLUSTER_DOMAIN),
          })
        : await this.clusters.update(tx, existing.id, write);
    const kind = existing === undefined ? 'create' : 'update';
    const operation = await this.operations.start(tx, cluster, kind, invocation.actor);
    await this.audit.append(tx, {
      ...invocation,
      action: `cluster.${kind}`,
      object: `cluster/${cluster.name}`,
      outcome: 'allowed',
      detail: {
        generation: cluster.generation,
        changed: plan.changes.map((change) => change.path),
        operation: operation.id,
      },
    });
    return operation;
  }
}
