import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../domain/shared/errors';
import { AuditLog } from '../../tenancy/audit-log';
import { TenantUnitOfWork } from '../../tenancy/tenant-unit-of-work';
import { ClusterRepository, type ClusterRow } from '../cluster.repository';
import { KubeconfigIssuer, type IssuedKubeconfig } from '../ports/kubeconfig-issuer';
import { IssueKubeconfig } from './issue-kubeconfig.command';

@CommandHandler(IssueKubeconfig)
export class IssueKubeconfigHandler implements ICommandHandler<IssueKubeconfig> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly clusters: ClusterRepository,
    private readonly issuer: KubeconfigIssuer,
    private readonly audit: AuditLog,
  ) {}

  async execute(command: IssueKubeconfig): Promise<IssuedKubeconfig> {
    const cluster = await this.admit(command);
    return this.issuer.issue({
      clusterId: cluster.id,
      clusterName: cluster.name,
      endpointHost: cluster.endpointHost,
      userName: command.invocation.actor,
      ttlSeconds: command.ttlSeconds,
    });
  }

  /** The audit row is written before the credential exists: none leaves without one. */
  private admit({ invocation, cluster: name, ttlSeconds }: IssueKubeconfig): Promise<ClusterRow> {
    return this.work.run(invocation.tenantId, async (tx) => {
      const cluster = await this.clusters.find(tx, name);
      if (cluster === undefined) {
        throw new DomainError('not-found', 'CLUSTER_NOT_FOUND', '');
      }
      if (cluster.deleteRequestedAt !== null) {
        throw new DomainError('refused', 'CLUSTER_DELETING', `cluster ${name} is being deleted`);
      }
      if (cluster.bootstrappedAt === null) {
        throw new DomainError('refused', 'CLUSTER_NOT_READY', `cluster ${name} has no Kubernetes API yet`, {
          retryAfterMs: 5000,
        });
      }
      const detail = { ttlSeconds };
      await this.audit.append(tx, {
        ...invocation,
        action: 'kubeconfig.create',
        object: `cluster/${name}`,
        outcome: 'allowed',
        detail,
      });
      return cluster;
    });
  }
}
