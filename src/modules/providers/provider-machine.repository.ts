import type { InventoryItem, InventoryRow, InventoryVerdict } from '../../domain/provider/judge-inventory';
import type { KnownMachine, ReportedMachine } from '../../domain/provider/judge-machine-claim';
import type { ProviderPatchText } from '../../domain/provider/check-provider-patches';
import type { PatchTarget } from '../../domain/patch/reserved-fields';
import type { TenantTx } from '../tenancy/tenant-unit-of-work';

/** Where a machine that was made for a request belongs. */
export interface MachineOwner {
  readonly providerId: string;
  readonly requestId: string;
  readonly clusterId: string;
  readonly requestSetId: string;
}

/** Machines and their patches, as the agents of a provider report them. */
export abstract class ProviderMachineRepository {
  /** Inventories of one provider one after another, until the end of the transaction. */
  abstract lockInventory(tx: TenantTx, providerId: string): Promise<void>;
  /** Those that are there, and those of the gone ones that the items name. */
  abstract listForInventory(
    tx: TenantTx,
    providerId: string,
    items: readonly InventoryItem[],
  ): Promise<readonly InventoryRow[]>;
  /** Which of these ids machines of the owner's other providers have. */
  abstract findIdsElsewhere(
    tx: TenantTx,
    providerId: string,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>>;
  /** The clusters whose machines came, went or moved. */
  abstract recordInventory(
    tx: TenantTx,
    providerId: string,
    verdict: InventoryVerdict,
    now: Date,
  ): Promise<readonly string[]>;
  /**
   * With this reference at this provider, or with this id anywhere at this owner. Others that ask about the same machine
   * wait until the end of the transaction.
   */
  abstract findKnown(
    tx: TenantTx,
    providerId: string,
    machine: ReportedMachine,
  ): Promise<readonly KnownMachine[]>;
  /** Machines of this provider with this reference; waits and makes others wait as `findKnown` does. */
  abstract findByRef(tx: TenantTx, providerId: string, ref: string): Promise<readonly KnownMachine[]>;
  abstract putForRequest(tx: TenantTx, owner: MachineOwner, machine: InventoryItem, now: Date): Promise<void>;
  abstract markGone(tx: TenantTx, requestId: string, now: Date): Promise<void>;
  /** What the patches of this machine may touch. */
  abstract patchTarget(tx: TenantTx, owner: MachineOwner): Promise<PatchTarget>;
  /** The machine has these patches of its provider afterwards, and no others. */
  abstract replacePatches(
    tx: TenantTx,
    clusterId: string,
    machineId: string,
    patches: readonly ProviderPatchText[],
  ): Promise<void>;
}
