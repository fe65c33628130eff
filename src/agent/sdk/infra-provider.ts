/** What an infrastructure has to implement to give machines to Quorate. Everything else the SDK does. */

export interface MachineShape {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

export interface WorkRequest {
  readonly id: string;
  /** DNS label, unique for the provider. Tag the machine with it: it is how a half-made machine is found again. */
  readonly name: string;
  readonly shape: MachineShape;
  readonly talosVersion: string;
  readonly schematicId: string;
  /** An earlier lease holder made, or began to make, this machine: adopt it, make no second one. */
  readonly machineRef?: string;
  readonly attempt: number;
}

export interface Work {
  readonly request: WorkRequest;
  /** Aborted when the lease is lost or the agent stops: cause nothing any more, another agent may be at it already. */
  readonly signal: AbortSignal;
  /** Say the machine's reference as soon as one exists. Throws when the lease is lost. */
  readonly progress: (
    step: string,
    index: number,
    count: number,
    message: string,
    machineRef?: string,
  ) => Promise<void>;
}

export interface InventoryMachine {
  /** Unique for the provider, never reused. */
  readonly machineRef: string;
  /** UUID that the machine itself reports (SMBIOS). */
  readonly machineId: string;
  /** IP addresses, without port. */
  readonly addresses: readonly string[];
  /** host:port; when absent the first address and 50000. */
  readonly talosEndpoint?: string;
  /** host:port; when absent the first address and 6443. */
  readonly kubernetesEndpoint?: string;
  /** Request that the machine was made for; absent when nobody asked for it. */
  readonly requestId?: string;
}

/** A Talos config patch that the provider wants on the machine. */
export interface MachinePatch {
  readonly name: string;
  readonly contentYaml: string;
}

export interface ProvisionedMachine extends InventoryMachine {
  readonly patches?: readonly MachinePatch[];
}

/** Calls may be repeated at any time, also after a crash half-way: each looks at what exists before it acts. */
export interface InfraProvider {
  /** Resolves when the machine exists and its Talos API can be reached. */
  provision(work: Work): Promise<ProvisionedMachine>;
  /** Resolves when the machine is gone; also when it never existed. */
  deprovision(work: Work): Promise<void>;
  /** Every machine of this provider, whoever asked for it. */
  list(signal: AbortSignal): Promise<readonly InventoryMachine[]>;
}

export const PROVIDER_ERROR_CODES = [
  'QUOTA_EXCEEDED',
  'RATE_LIMITED',
  'CAPACITY_DEPLETED',
  'INVALID_CONFIG',
  'DEPENDENCY',
  'IMAGE_UNAVAILABLE',
  'INTERNAL',
] as const;
export type ProviderErrorCode = (typeof PROVIDER_ERROR_CODES)[number];

export interface RetryAdvice {
  readonly retryable?: boolean;
  /** Not before; absent leaves the pace to the server. */
  readonly retryAfterSeconds?: number;
}

/** A failure whose message may be shown to the provider's operators. Throw nothing secret in it. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly retryable: boolean;
  readonly retryAfterSeconds: number;

  constructor(
    readonly code: ProviderErrorCode,
    message: string,
    { retryable = true, retryAfterSeconds = 0 }: RetryAdvice = {},
  ) {
    super(message);
    this.retryable = retryable;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
