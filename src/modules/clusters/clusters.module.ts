import { Module } from '@nestjs/common';
import { ClusterOperations } from './cluster-operations';
import { ClustersController } from './clusters.controller';
import { DeleteClusterHandler } from './commands/delete-cluster.handler';
import { IssueKubeconfigHandler } from './commands/issue-kubeconfig.handler';
import { SyncTemplateHandler } from './commands/sync-template.handler';
import { SyncPlanner } from './plan-sync';
import {
  GetClusterHandler,
  ListClusterMachinesHandler,
  ListClustersHandler,
} from './queries/clusters.handler';
import {
  GetTemplateStatusHandler,
  NameTemplateHandler,
  PreviewTemplateHandler,
} from './queries/template.handler';
import { TemplatesController } from './templates.controller';

@Module({
  controllers: [ClustersController, TemplatesController],
  providers: [
    ClusterOperations,
    SyncPlanner,
    SyncTemplateHandler,
    DeleteClusterHandler,
    IssueKubeconfigHandler,
    ListClustersHandler,
    GetClusterHandler,
    ListClusterMachinesHandler,
    PreviewTemplateHandler,
    GetTemplateStatusHandler,
    NameTemplateHandler,
  ],
})
export class ClustersModule {}
