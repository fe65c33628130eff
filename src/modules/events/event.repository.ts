import type { Page, PageRequest } from '../../platform/http/paging';
import type { TenantTx } from '../tenancy/tenant-unit-of-work';

export interface EventRow {
  readonly id: string;
  readonly clusterName: string | null;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

export abstract class EventRepository {
  abstract list(
    tx: TenantTx,
    filter: { readonly cluster?: string | undefined },
    page: PageRequest,
  ): Promise<Page<EventRow>>;
  abstract findById(tx: TenantTx, id: string): Promise<EventRow | undefined>;
}
