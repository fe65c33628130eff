import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../domain/shared/errors';
import type { Page } from '../../../platform/http/paging';
import { TenantUnitOfWork, type TenantTx } from '../../tenancy/tenant-unit-of-work';
import { ClusterRepository, type ClusterMachineRow, type ClusterRow } from '../cluster.repository';
import { GetCluster, ListClusterMachines, ListClusters } from './clusters.query';

async function findCluster(clusters: ClusterRepository, tx: TenantTx, name: string): Promise<ClusterRow> {
  const cluster = await clusters.find(tx, name);
  if (cluster === undefined) {
    throw new DomainError('not-found', 'CLUSTER_NOT_FOUND', '');
  }
  return cluster;
}

@QueryHandler(ListClusters)
export class ListClustersHandler implements IQueryHandler<ListClusters> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly clusters: ClusterRepository,
  ) {}

  execute({ tenantId, page }: ListClusters): Promise<Page<ClusterRow>> {
    return this.work.run(tenantId, (tx) => this.clusters.list(tx, page));
  }
}

@QueryHandler(GetCluster)
export class GetClusterHandler implements IQueryHandler<GetCluster> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly clusters: ClusterRepository,
  ) {}

  execute({ tenantId, name }: GetCluster): Promise<ClusterRow> {
    return this.work.run(tenantId, (tx) => findCluster(this.clusters, tx, name));
  }
}

@QueryHandler(ListClusterMachines)
export class ListClusterMachinesHandler implements IQueryHandler<ListClusterMachines> {
  constructor(
    private readonly work: TenantUnitOfWork,
    private readonly clusters: ClusterRepository,
  ) {}

  execute({ tenantId, cluster, page }: ListClusterMachines): Promise<Page<ClusterMachineRow>> {
    return this.work.run(tenantId, async (tx) => {
      const { id } = await findCluster(this.clusters, tx, cluster);
      return this.clusters.listMachines(tx, id, page);
    });
  }
}
