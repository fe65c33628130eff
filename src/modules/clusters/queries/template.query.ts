import { Query } from '@nestjs/cqrs';
import type { OperationRow } from '../../operations/operation.repository';
import type { ClusterRow } from '../cluster.repository';
import type { SyncPlan } from '../plan-sync';
import type { TemplateSource } from '../ports/template-compiler';

/** What a sync would do; every check of it, and no write. */
export class PreviewTemplate extends Query<SyncPlan> {
  constructor(
    readonly tenantId: string,
    readonly source: TemplateSource,
    readonly allowDowngrade = false,
  ) {
    super();
  }
}

export interface TemplateStatus {
  readonly name: string;
  readonly cluster: ClusterRow | undefined;
  /** The cluster's spec is what the template says. */
  readonly inSync: boolean;
  readonly operation: OperationRow | undefined;
}

export class GetTemplateStatus extends Query<TemplateStatus> {
  constructor(
    readonly tenantId: string,
    readonly source: TemplateSource,
  ) {
    super();
  }
}

/** Only the name of the cluster that a template is about. */
export class NameTemplate extends Query<string> {
  constructor(readonly source: TemplateSource) {
    super();
  }
}
