import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Answer, etagOf } from '../../platform/http/answer';
import { refuseOtherVersion } from '../../platform/http/if-match';
import { PageTokens } from '../../platform/http/paging';
import { Checked, Route, type Call, type ResponseOf } from '../../platform/http/route';
import { presentOperation } from '../operations/operations.schemas';
import { operationHeaders } from '../operations/operation-headers';
import { invocationOf } from '../tenancy/invocation-of';
import {
  createKubeconfig,
  deleteCluster,
  explainCluster,
  getCluster,
  listClusterMachines,
  listClusters,
  presentCluster,
  presentClusterMachine,
  presentExplain,
} from './clusters.schemas';
import { DeleteCluster } from './commands/delete-cluster.command';
import { IssueKubeconfig } from './commands/issue-kubeconfig.command';
import { GetCluster, ListClusterMachines, ListClusters } from './queries/clusters.query';

@Controller()
export class ClustersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly pages: PageTokens,
  ) {}

  @Route(listClusters)
  async list(@Checked() call: Call<typeof listClusters>): Promise<ResponseOf<typeof listClusters>> {
    const scope = [call.tenant.id, 'clusters'];
    const page = await this.queries.execute(
      new ListClusters(call.tenant.id, this.pages.read(scope, call.query)),
    );
    return this.pages.write(scope, { ...page, items: page.items.map(presentCluster) });
  }

  @Route(getCluster)
  async get(@Checked() call: Call<typeof getCluster>): Promise<Answer<ResponseOf<typeof getCluster>>> {
    const cluster = await this.queries.execute(new GetCluster(call.tenant.id, call.params.cluster));
    refuseOtherVersion(call.ifMatch, cluster.version);
    return new Answer(presentCluster(cluster), { headers: { etag: etagOf(cluster.version) } });
  }

  @Route(deleteCluster)
  async delete(
    @Checked() call: Call<typeof deleteCluster>,
  ): Promise<Answer<ResponseOf<typeof deleteCluster>>> {
    const operation = await this.commands.execute(
      new DeleteCluster(invocationOf(call), call.params.cluster, call.ifMatch),
    );
    return new Answer(presentOperation(operation), { headers: operationHeaders(call.tenant, operation) });
  }

  @Route(explainCluster)
  async explain(@Checked() call: Call<typeof explainCluster>): Promise<ResponseOf<typeof explainCluster>> {
    return presentExplain(await this.queries.execute(new GetCluster(call.tenant.id, call.params.cluster)));
  }

  @Route(listClusterMachines)
  async machines(
    @Checked() call: Call<typeof listClusterMachines>,
  ): Promise<ResponseOf<typeof listClusterMachines>> {
    const { cluster } = call.params;
    const scope = [call.tenant.id, 'cluster-machines', cluster];
    const page = await this.queries.execute(
      new ListClusterMachines(call.tenant.id, cluster, this.pages.read(scope, call.query)),
    );
    return this.pages.write(scope, { ...page, items: page.items.map(presentClusterMachine) });
  }

  @Route(createKubeconfig)
  async kubeconfig(
    @Checked() call: Call<typeof createKubeconfig>,
  ): Promise<ResponseOf<typeof createKubeconfig>> {
    const command = new IssueKubeconfig(invocationOf(call), call.params.cluster, call.body.ttlSeconds);
    const { kubeconfig, expiresAt } = await this.commands.execute(command);
    return { kubeconfig, expiresAt: expiresAt.toISOString() };
  }
}
