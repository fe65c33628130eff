/** The control API of the simulated cloud, as its clients see it: JSON over HTTP with a bearer token. */
import type { Fault } from '../machine/faults';

/** PUT /machines/{ref}. Idempotent: the same ref is the same machine. */
export interface PutMachineBody {
  readonly requestId?: string;
  /** SMBIOS UUID of the machine; drawn at random when absent. */
  readonly machineId?: string;
  readonly site?: string;
  readonly cpus?: number;
  readonly memoryBytes?: number;
  readonly diskBytes?: number;
  /** With or without a leading v. */
  readonly talosVersion: string;
  readonly schematicId?: string;
}

export const MACHINE_STATES = ['booting', 'maintenance', 'configured', 'stopped'] as const;
export type MachineState = (typeof MACHINE_STATES)[number];

export interface MachineView {
  readonly ref: string;
  readonly machineId: string;
  readonly requestId: string;
  readonly site: string;
  readonly state: MachineState;
  /** Talos's word for what the machine does. */
  readonly stage: string;
  readonly hostname: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly talosVersion: string;
  readonly schematicId: string;
  readonly addresses: readonly string[];
  readonly talosEndpoint: string;
  readonly kubernetesEndpoint: string;
  readonly fault: Fault;
  readonly simulated: true;
}

/** GET /machines[?site=x]. */
export interface MachineList {
  readonly machines: readonly MachineView[];
}

/** PUT /faults; without `machine` it concerns every machine. */
export interface PutFaultBody extends Fault {
  readonly machine?: string;
}

/** GET /. */
export interface SimulatorInfo {
  readonly simulated: true;
  readonly etcd: 'real' | 'modelled';
  /** For cluster.discovery.registries.service.endpoint. */
  readonly discoveryEndpoint: string;
  readonly machines: number;
}

export interface ControlApiProblem {
  readonly error: string;
}
