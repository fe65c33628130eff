/**
 * Whether a request may have the machine that an agent reports for it (behavior table 9): a machine of another request,
 * of another provider, or already part of a cluster is refused.
 */

export interface ReportedMachine {
  readonly ref: string;
  readonly machineId: string;
}

export interface KnownMachine {
  readonly machineId: string;
  readonly providerId: string;
  readonly ref: string;
  readonly requestId: string | null;
  readonly clusterId: string | null;
}

export interface MachineClaim {
  readonly requestId: string;
  readonly providerId: string;
  readonly machine: ReportedMachine;
  /** Machines of the provider's owner with the same reference at this provider, or with the same id. */
  readonly known: readonly KnownMachine[];
  /** Another request of the provider that carries the reference already. */
  readonly otherRequestWithRef: boolean;
}

export type ClaimRefusal =
  | 'MACHINE_OF_OTHER_REQUEST'
  | 'MACHINE_OF_OTHER_PROVIDER'
  | 'MACHINE_IN_USE'
  | 'MACHINE_IDENTITY_CHANGED';

/** Undefined: the request may have it. A machine that the inventory saw first has no owner yet, and gets one by this. */
export function judgeMachineClaim({
  requestId,
  providerId,
  machine,
  known,
  otherRequestWithRef,
}: MachineClaim): ClaimRefusal | undefined {
  if (otherRequestWithRef) {
    return 'MACHINE_OF_OTHER_REQUEST';
  }
  for (const row of known) {
    if (row.providerId !== providerId) {
      return 'MACHINE_OF_OTHER_PROVIDER';
    }
    if (row.requestId !== null && row.requestId !== requestId) {
      return 'MACHINE_OF_OTHER_REQUEST';
    }
    if (row.ref !== machine.ref || row.machineId !== machine.machineId) {
      return 'MACHINE_IDENTITY_CHANGED';
    }
    if (row.requestId === null && row.clusterId !== null) {
      return 'MACHINE_IN_USE';
    }
  }
  return undefined;
}
