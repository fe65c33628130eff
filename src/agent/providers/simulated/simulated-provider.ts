/** Machines of the simulated cloud: a client of its control API. */
import type {
  MachineList,
  MachineView,
  PutMachineBody,
} from '../../../simulator/control-api/control-api-types';
import {
  ProviderError,
  type InfraProvider,
  type InventoryMachine,
  type ProvisionedMachine,
  type Work,
  type WorkRequest,
} from '../../sdk/infra-provider';
import { pause, throwIfAborted } from '../../sdk/wait';
import { ControlApiClient } from './control-api-client';

const STEPS = 2;
const LOOK_EVERY_MS = 250;
const BOOT_LIMIT_MS = 300_000;

export interface SimulatedProviderOptions {
  readonly url: string;
  readonly token: string;
  /** Separates the fleets of several providers in one simulated cloud. */
  readonly site: string;
  readonly lookEveryMs?: number;
  readonly bootLimitMs?: number;
}

export class SimulatedProvider implements InfraProvider {
  private readonly api: ControlApiClient;

  constructor(private readonly options: SimulatedProviderOptions) {
    this.api = new ControlApiClient(options.url, options.token);
  }

  async provision({ request, signal, progress }: Work): Promise<ProvisionedMachine> {
    // The name alone decides: a second attempt, of whatever agent, meets the machine of the first.
    const ref = refOf(request);
    await progress('create-machine', 1, STEPS, 'Creating the machine', ref);
    throwIfAborted(signal);
    const made = await this.api.expect<MachineView>('PUT', path(ref), signal, this.bodyOf(request));
    this.requireOurs(made, request);
    await progress('boot', 2, STEPS, 'Waiting for the machine to boot', ref);
    return toInventory(await this.waitForBoot(ref, signal));
  }

  async deprovision({ request, signal }: Work): Promise<void> {
    const ref = refOf(request);
    const machine = await this.api.call<MachineView>('GET', path(ref), signal);
    if (machine === undefined || !this.isOurs(machine, request)) {
      return; // what has the name is another's: ours was never made
    }
    throwIfAborted(signal);
    await this.api.call('DELETE', path(ref), signal);
  }

  async list(signal: AbortSignal): Promise<readonly InventoryMachine[]> {
    const query = new URLSearchParams({ site: this.options.site });
    const { machines } = await this.api.expect<MachineList>('GET', `/machines?${query.toString()}`, signal);
    return machines.map(toInventory);
  }

  private async waitForBoot(ref: string, signal: AbortSignal): Promise<MachineView> {
    const until = performance.now() + (this.options.bootLimitMs ?? BOOT_LIMIT_MS);
    while (performance.now() < until) {
      const machine = await this.api.call<MachineView>('GET', path(ref), signal);
      if (machine === undefined) {
        throw new ProviderError('DEPENDENCY', 'the machine vanished while it booted');
      }
      if (machine.state === 'maintenance' || machine.state === 'configured') {
        return machine;
      }
      await pause(this.options.lookEveryMs ?? LOOK_EVERY_MS, signal);
      throwIfAborted(signal);
    }
    throw new ProviderError('DEPENDENCY', 'the machine did not boot in time');
  }

  private requireOurs(machine: MachineView, request: WorkRequest): void {
    if (!this.isOurs(machine, request)) {
      const message = `a machine ${machine.ref} exists already and belongs to somebody else`;
      throw new ProviderError('INVALID_CONFIG', message, { retryable: false });
    }
  }

  /** Two providers may have given the same name. */
  private isOurs(machine: MachineView, request: WorkRequest): boolean {
    return (
      machine.site === this.options.site && (machine.requestId === '' || machine.requestId === request.id)
    );
  }

  private bodyOf({ id, shape, talosVersion, schematicId }: WorkRequest): PutMachineBody {
    return {
      requestId: id,
      site: this.options.site,
      ...(shape.cpus > 0 ? { cpus: shape.cpus } : {}),
      ...(shape.memoryBytes > 0 ? { memoryBytes: shape.memoryBytes } : {}),
      ...(shape.diskBytes > 0 ? { diskBytes: shape.diskBytes } : {}),
      talosVersion,
      ...(schematicId === '' ? {} : { schematicId }),
    };
  }
}

function refOf({ machineRef, name }: WorkRequest): string {
  return machineRef ?? name;
}

function path(ref: string): string {
  return `/machines/${encodeURIComponent(ref)}`;
}

function toInventory(machine: MachineView): InventoryMachine {
  const { ref, machineId, addresses, talosEndpoint, kubernetesEndpoint, requestId } = machine;
  const asked = requestId === '' ? {} : { requestId };
  return { machineRef: ref, machineId, addresses, talosEndpoint, kubernetesEndpoint, ...asked };
}
