/** The actions on a cluster. Each is idempotent and safe to repeat after a crash: what to do next is always derived from what is seen. */
import type { Step } from './plan';

type Of<T extends string, Fields = unknown> = Step & { readonly type: T } & Fields;

export type ClusterStep =
  | Of<'CreateSecrets'>
  | Of<'CreateRequestSet', { readonly setId: string }>
  | Of<
      'ResizeRequestSet',
      { readonly setId: string; readonly requestSetId: string; readonly replicas: number }
    >
  | Of<'CreateRequests', { readonly setId: string; readonly requestSetId: string; readonly count: number }>
  | Of<'AllocateMachine', { readonly machineId: string; readonly setId: string; readonly hostname: string }>
  | Of<'ApplyConfig', { readonly machineId: string; readonly mode: 'maintenance' | 'configured' }>
  | Of<'PinBootstrap', { readonly machineId: string; readonly insteadOf: string | null }>
  | Of<'Bootstrap', { readonly machineId: string }>
  | Of<'RecordBootstrapped'>
  | Of<'RequestDeprovision', { readonly requestId: string }>
  | Of<'ResetMachine', { readonly machineId: string }>
  | Of<'OpenGate', { readonly requestId: string; readonly reason: GateReason }>
  | Of<'ForgetRequest', { readonly requestId: string }>
  | Of<'ReleaseMachine', { readonly machineId: string }>
  | Of<'ForgetMachineSet', { readonly setId: string }>
  | Of<'CleanAffiliates'>
  | Of<'DeleteCluster'>;

export type ClusterStepType = ClusterStep['type'];

/** Why the provider may destroy a machine; kept with the request. */
export const GATE_REASONS = [
  'NeverProvisioned',
  'NeverConfigured',
  'ResetConfirmed',
  'ResetSkipped',
  'MachineGone',
] as const;
export type GateReason = (typeof GATE_REASONS)[number];

type Fields<T extends ClusterStepType> = Omit<Extract<ClusterStep, { type: T }>, keyof Step>;

const SECOND = 1000;
/** Calls of Talos may take a while; everything else is a transaction. */
const DEADLINES: Readonly<Record<ClusterStepType, number>> = {
  CreateSecrets: 60 * SECOND,
  CreateRequestSet: 10 * SECOND,
  ResizeRequestSet: 10 * SECOND,
  CreateRequests: 10 * SECOND,
  AllocateMachine: 10 * SECOND,
  ApplyConfig: 30 * SECOND,
  PinBootstrap: 10 * SECOND,
  Bootstrap: 30 * SECOND,
  RecordBootstrapped: 10 * SECOND,
  RequestDeprovision: 10 * SECOND,
  ResetMachine: 30 * SECOND,
  OpenGate: 10 * SECOND,
  ForgetRequest: 10 * SECOND,
  ReleaseMachine: 10 * SECOND,
  ForgetMachineSet: 10 * SECOND,
  CleanAffiliates: 30 * SECOND,
  DeleteCluster: 20 * SECOND,
};

/** One machine each: they do not wait for one another. */
const PARALLEL: readonly ClusterStepType[] = [
  'ApplyConfig',
  'ResetMachine',
  'OpenGate',
  'RequestDeprovision',
  'ForgetRequest',
  'ReleaseMachine',
  'AllocateMachine',
];

/**
 * Makes a step. None of the actions of building or tearing down a whole cluster takes the disruption slot: there is no
 * serving quorum that they could break.
 */
export function step<T extends ClusterStepType>(
  type: T,
  target: string,
  because: string,
  fields: Fields<T>,
): ClusterStep {
  const base: Step = {
    type,
    target,
    because,
    disruptive: false,
    deadlineMs: DEADLINES[type],
    parallel: PARALLEL.includes(type),
  };
  return { ...base, ...fields } as ClusterStep;
}
