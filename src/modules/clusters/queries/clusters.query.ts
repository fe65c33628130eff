import { Query } from '@nestjs/cqrs';
import type { Page, PageRequest } from '../../../platform/http/paging';
import type { ClusterMachineRow, ClusterRow } from '../cluster.repository';

export class ListClusters extends Query<Page<ClusterRow>> {
  constructor(
    readonly tenantId: string,
    readonly page: PageRequest,
  ) {
    super();
  }
}

export class GetCluster extends Query<ClusterRow> {
  constructor(
    readonly tenantId: string,
    readonly name: string,
  ) {
    super();
  }
}

export class ListClusterMachines extends Query<Page<ClusterMachineRow>> {
  constructor(
    readonly tenantId: string,
    readonly cluster: string,
    readonly page: PageRequest,
  ) {
    super();
  }
}
