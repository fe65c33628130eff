import { createHash } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import type { SecretsBundle } from '../../domain/machine-config/secrets-bundle';
import type { MachineFacts } from '../../domain/machine/machine-facts';
import {
  ApplyConfigurationRequest_Mode,
  ResetRequest_WipeMode,
  type ApplyConfiguration,
  MachineServiceService,
} from '../../generated/proto/talos/machine/machine';
import {
  TalosMachines,
  type ConfiguredTarget,
  type ConfigVerdict,
  type ResetOptions,
  type TalosTarget,
} from '../../reconcile/ports/talos-machines';
import { BoundedCache } from '../secrets/bounded-cache';
import { commandFailure, isServiceError, wordsOf } from './call-failures';
import { ClientIdentities } from './client-identities';
import { probeMachine } from './probe-machine';
import { TalosConnection, unary } from './talos-connection';

export interface GrpcTalosMachinesOptions {
  readonly now: () => Date;
  readonly probeTimeoutMs?: number;
  readonly commandTimeoutMs?: number;
}

const PROBE_TIMEOUT_MS = 5_000;
/** Shorter than any step's deadline, so that the step ends by itself. */
const COMMAND_TIMEOUT_MS = 20_000;
const CACHED_CONNECTIONS = 512;
/** Certificates are renewed after twelve hours; connections made with the old ones must go then. */
const CONNECTION_AGE_MS = 6 * 3_600_000;

export class GrpcTalosMachines extends TalosMachines {
  private readonly identities: ClientIdentities;
  private readonly connections: BoundedCache<TalosConnection>;

  constructor(private readonly options: GrpcTalosMachinesOptions) {
    super();
    this.identities = new ClientIdentities(options.now);
    this.connections = new BoundedCache({
      maxEntries: CACHED_CONNECTIONS,
      maxAgeMs: CONNECTION_AGE_MS,
      now: () => options.now().getTime(),
      onEvict: (connection) => connection.close(),
    });
  }

  probe(target: TalosTarget): Promise<MachineFacts> {
    const deadline = Date.now() + (this.options.probeTimeoutMs ?? PROBE_TIMEOUT_MS);
    return probeMachine(target, deadline, {
      connect: (secrets) => this.connect(target.talosEndpoint, secrets),
      forget: (secrets) => this.connections.delete(connectionKey(target.talosEndpoint, secrets)),
      kubernetesIdentity: (secrets) => this.identities.kubernetesAdmin(secrets),
    });
  }

  async applyConfig(
    target: TalosTarget,
    yaml: string,
    mode: 'maintenance' | 'configured',
  ): Promise<ConfigVerdict> {
    const request = {
      data: Buffer.from(yaml),
      mode:
        mode === 'maintenance'
          ? ApplyConfigurationRequest_Mode.AUTO
          : ApplyConfigurationRequest_Mode.NO_REBOOT,
      dryRun: false,
      tryModeTimeout: undefined,
    };
    const send = ({ machine }: TalosConnection) =>
      unary(machine, MachineServiceService.applyConfiguration, request, this.commandDeadline());
    try {
      const { messages } = await (mode === 'maintenance'
        ? this.withoutIdentity(target, send)
        : this.withIdentity(target, send));
      return { outcome: 'applied', message: describe(messages[0]) };
    } catch (error) {
      if (isServiceError(error) && error.code === status.INVALID_ARGUMENT) {
        return { outcome: 'rejected', message: wordsOf(error) };
      }
      throw commandFailure(error);
    }
  }

  async bootstrap(target: ConfiguredTarget): Promise<'started' | 'already-bootstrapped' | 'not-yet'> {
    const request = { recoverEtcd: false, recoverSkipHashCheck: false };
    try {
      await this.withIdentity(target, ({ machine }) =>
        unary(machine, MachineServiceService.bootstrap, request, this.commandDeadline()),
      );
      return 'started';
    } catch (error) {
      switch (isServiceError(error) ? error.code : undefined) {
        case status.ALREADY_EXISTS:
          return 'already-bootstrapped';
        case status.FAILED_PRECONDITION:
          return 'not-yet';
        default:
          throw commandFailure(error);
      }
    }
  }

  async reset(target: ConfiguredTarget, { wipeLabels, reboot }: ResetOptions): Promise<void> {
    if (wipeLabels.length === 0) {
      // Talos reads an empty list as the whole system disk, after which the machine boots nothing any more.
      throw new Error('a reset names the partitions to wipe');
    }
    const request = {
      graceful: false,
      reboot,
      systemPartitionsToWipe: wipeLabels.map((label) => ({ label, wipe: true })),
      userDisksToWipe: [],
      mode: ResetRequest_WipeMode.ALL,
    };
    try {
      await this.withIdentity(target, ({ machine }) =>
        unary(machine, MachineServiceService.reset, request, this.commandDeadline()),
      );
    } catch (error) {
      throw commandFailure(error);
    }
  }

  /** Ends all connections; a later call makes new ones. */
  close(): void {
    this.connections.clear();
  }

  private async withIdentity<T>(
    target: TalosTarget,
    call: (connection: TalosConnection) => Promise<T>,
  ): Promise<T> {
    if (target.secrets === undefined) {
      throw new Error('this call needs the secrets of the cluster');
    }
    return call(await this.connect(target.talosEndpoint, target.secrets));
  }

  private async withoutIdentity<T>(
    { talosEndpoint }: TalosTarget,
    call: (connection: TalosConnection) => Promise<T>,
  ): Promise<T> {
    const connection = TalosConnection.unauthenticated(talosEndpoint);
    try {
      return await call(connection);
    } finally {
      connection.close();
    }
  }

  private async connect(endpoint: string, secrets: SecretsBundle): Promise<TalosConnection> {
    const identity = await this.identities.talosAdmin(secrets);
    const key = connectionKey(endpoint, secrets);
    const cached = this.connections.get(key);
    if (cached !== undefined) {
      return cached;
    }
    const connection = TalosConnection.authenticated(endpoint, identity);
    this.connections.set(key, connection);
    return connection;
  }

  private commandDeadline(): number {
    return Date.now() + (this.options.commandTimeoutMs ?? COMMAND_TIMEOUT_MS);
  }
}

/** By endpoint and cluster: a machine that moved to another cluster is another peer. */
const connectionKey = (endpoint: string, { certs }: SecretsBundle): string =>
  `${endpoint} ${createHash('sha256').update(certs.os.crt).digest('hex')}`;

function describe(answer: ApplyConfiguration | undefined): string {
  return [answer?.modeDetails ?? '', ...(answer?.warnings ?? [])].filter((line) => line !== '').join('\n');
}
