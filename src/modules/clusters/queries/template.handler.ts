import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { ClusterSpec } from '../../../domain/cluster/cluster-spec';
import { diffClusterSpec } from '../../../domain/cluster/diff-cluster-spec';
import { OperationRepository } from '../../operations/operation.repository';
import { TenantUnitOfWork } from '../../tenancy/tenant-unit-of-work';
import { ClusterRepository } from '../cluster.repository';
import { SyncPlanner, type SyncPlan } from '../plan-sync';
import { TemplateCompiler } from '../ports/template-compiler';
import { GetTemplateStatus, NameTemplate, PreviewTemplate, type TemplateStatus } from './template.query';

@QueryHandler(PreviewTemplate)
export class PreviewTemplateHandler implements IQueryHandler<PreviewTemplate> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly planner: SyncPlanner,
  ) {}

  async execute({ tenantId, source, allowDowngrade }: PreviewTemplate): Promise<SyncPlan> {
    const compiled = await this.planner.compile(source);
    return this.work.run(tenantId, (tx) => this.planner.plan(tx, compiled, { lock: false, allowDowngrade }));
  }
}

@QueryHandler(GetTemplateStatus)
export class GetTemplateStatusHandler implements IQueryHandler<GetTemplateStatus> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly compiler: TemplateCompiler,
    private readonly clusters: ClusterRepository,
    private readonly operations: OperationRepository,
  ) {}

  execute({ tenantId, source }: GetTemplateStatus): Promise<TemplateStatus> {
    const { spec } = this.compiler.compile(source);
    return this.work.run(tenantId, async (tx) => {
      const cluster = await this.clusters.find(tx, spec.name);
      const { items } = await this.operations.list(tx, { cluster: spec.name }, { size: 1, after: undefined });
      const written = JSON.parse(JSON.stringify(spec)) as ClusterSpec;
      const inSync = cluster !== undefined && diffClusterSpec(cluster.spec, written).length === 0;
      return { name: spec.name, cluster, inSync, operation: items[0] };
    });
  }
}

@QueryHandler(NameTemplate)
export class NameTemplateHandler implements IQueryHandler<NameTemplate> {
  constructor(private readonly compiler: TemplateCompiler) {}

  execute({ source }: NameTemplate): Promise<string> {
    return Promise.resolve(this.compiler.compile(source).spec.name);
  }
}
