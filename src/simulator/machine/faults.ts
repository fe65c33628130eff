/** What can be made to go wrong with one machine. Small on purpose: each is one thing that happens in real life. */

export const FAULT_KINDS = ['unreachable', 'hang', 'slow', 'reject-config', 'die', 'none'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/**
 * unreachable: its Talos and Kubernetes APIs refuse connections, while its members still see each other;
 * hang: calls are taken and never answered; slow: every call waits delayMs first;
 * reject-config: no config is accepted; die: power failure until `none`, which also powers a machine on again.
 */
export interface Fault {
  readonly kind: FaultKind;
  /** Of `slow`. */
  readonly delayMs?: number;
}

export const NO_FAULT: Fault = { kind: 'none' };
