import type { MachineShape } from '../../domain/tiers/size-tiers';
import type { Page, PageRequest } from '../../platform/http/paging';
import type { TenantTx } from '../tenancy/tenant-unit-of-work';

/** A machine that the tenant itself owns. Machines of managed control planes are the platform's and not here. */
export interface MachineRow {
  readonly id: string;
  readonly providerName: string;
  readonly clusterName: string | null;
  readonly hostname: string | null;
  readonly contact: string;
  readonly stage: string | null;
  readonly talosVersion: string | null;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date | null;
  readonly goneAt: Date | null;
}

export interface MachineClassRow {
  readonly id: string;
  readonly name: string;
  readonly providerName: string;
  readonly shape: MachineShape;
  readonly createdAt: Date;
}

export abstract class MachineRepository {
  abstract list(tx: TenantTx, page: PageRequest): Promise<Page<MachineRow>>;
  abstract findById(tx: TenantTx, id: string): Promise<MachineRow | undefined>;
}

export abstract class MachineClassRepository {
  abstract list(tx: TenantTx, page: PageRequest): Promise<Page<MachineClassRow>>;
  abstract findById(tx: TenantTx, id: string): Promise<MachineClassRow | undefined>;
  /** Throws PROVIDER_NOT_FOUND or MACHINE_CLASS_NAME_TAKEN. */
  abstract create(
    tx: TenantTx,
    machineClass: { readonly name: string; readonly provider: string; readonly shape: MachineShape },
  ): Promise<MachineClassRow>;
  /** The id of the removed class. Throws MACHINE_CLASS_NOT_FOUND or MACHINE_CLASS_IN_USE. */
  abstract remove(tx: TenantTx, name: string): Promise<string>;
}
