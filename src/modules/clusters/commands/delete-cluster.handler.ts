import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../domain/shared/errors';
import { refuseOtherVersion } from '../../../platform/http/if-match';
import { OperationRepository, type OperationRow } from '../../operations/operation.repository';
import { AuditLog } from '../../tenancy/audit-log';
import { TenantUnitOfWork } from '../../tenancy/tenant-unit-of-work';
import { ClusterOperations } from '../cluster-operations';
import { ClusterRepository } from '../cluster.repository';
import { DeleteCluster } from './delete-cluster.command';

@CommandHandler(DeleteCluster)
export class DeleteClusterHandler implements ICommandHandler<DeleteCluster> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly clusters: ClusterRepository,
    private readonly operations: ClusterOperations,
    private readonly repository: OperationRepository,
    private readonly audit: AuditLog,
  ) {}

  async execute({ invocation, name, etag }: DeleteCluster): Promise<OperationRow> {
    return this.work.run(invocation.tenantId, async (tx) => {
      const cluster = await this.clusters.lock(tx, name);
      if (cluster === undefined) {
        throw new DomainError('not-found', 'CLUSTER_NOT_FOUND', '');
      }
      if (cluster.deleteRequestedAt !== null) {
        const running = await this.repository.findUnfinished(tx, cluster.id);
        // None is left when an operator ended it by hand: a new one then follows the same tear-down.
        return running ?? this.operations.start(tx, cluster, 'delete', invocation.actor);
      }
      refuseOtherVersion(etag, cluster.version);
      const marked = await this.clusters.requestDelete(tx, cluster.id, new Date());
      const operation = await this.operations.start(tx, marked, 'delete', invocation.actor);
      const detail = { operation: operation.id };
      await this.audit.append(tx, {
        ...invocation,
        action: 'cluster.delete',
        object: `cluster/${name}`,
        outcome: 'allowed',
        detail,
      });
      return operation;
    });
  }
}
