/** Tests of the simulated data centre speak to its machines as anybody would: raw grpc-js, no client of the server. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ChannelCredentials, credentials, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import { parse } from 'yaml';
import type { MachineConfigInput } from '../../src/domain/machine-config/machine-config-input';
import { renderMachineConfig } from '../../src/domain/machine-config/render-machine-config';
import type { SecretsBundle } from '../../src/domain/machine-config/secrets-bundle';
import { GetRequest, ListResponse, StateClient } from '../../src/generated/proto/talos/cosi/state';
import {
  ApplyConfigurationRequest,
  ApplyConfigurationRequest_Mode as Mode,
  MachineServiceClient,
  RebootRequest_Mode,
  ResetRequest_WipeMode,
  type ApplyConfigurationResponse,
  type BootstrapRequest,
  type BootstrapResponse,
  type EtcdLeaveClusterResponse,
  type EtcdMember,
  type EtcdMemberListResponse,
  type EtcdRemoveMemberByIDResponse,
  type RebootResponse,
  type ResetResponse,
  type ServiceListResponse,
  type VersionResponse,
} from '../../src/generated/proto/talos/machine/machine';
import { CertificateAuthority } from '../../src/infrastructure/pki/certificate-authority';
import { generateSecretsBundle } from '../../src/infrastructure/pki/generate-secrets-bundle';
import { toStandardLabel } from '../../src/infrastructure/pki/pem-labels';
import type { MachineView } from '../../src/simulator/control-api/control-api-types';
import { SimulatedDataCenter, type DataCenterOptions } from '../../src/simulator/simulated-data-center';

export const TALOS_VERSION = '1.13.9';
const DAY_MS = 86_400_000;

export function temporaryDirectory(): { dir: string; remove: () => void } {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'quorate-simulator-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

export async function startDataCenter(
  stateDir: string,
  options: Partial<DataCenterOptions> = {},
): Promise<SimulatedDataCenter> {
  const dataCenter = new SimulatedDataCenter({
    stateDir,
    token: 'test-token',
    etcd: 'modelled',
    latencyMs: 0,
    rateLimit: false,
    ...options,
  });
  await dataCenter.start();
  return dataCenter;
}

/** Polls until the check holds; the last thing it said is in the error. */
export async function until<T>(
  what: string,
  check: () => Promise<T | undefined | false>,
  timeoutMs = 20_000,
): Promise<T> {
  let last = '';
  for (const end = Date.now() + timeoutMs; Date.now() < end; ) {
    try {
      const value = await check();
      if (value !== undefined && value !== false) {
        return value;
      }
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`not within ${timeoutMs} ms: ${what}${last === '' ? '' : ` (${last})`}`);
}

export async function newSecrets(): Promise<SecretsBundle> {
  // 2048 instead of Talos's 4096 bits: only the form matters here, and it takes a tenth of the time.
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return generateSecretsBundle(TALOS_VERSION, { take: async () => privateKey }, new Date());
}

export function renderConfig(
  secrets: SecretsBundle,
  hostname: string,
  over: Partial<MachineConfigInput> = {},
): string {
  return renderMachineConfig({
    clusterName: 'orders',
    role: 'control-plane',
    hostname,
    endpoint: 'https://orders.clusters.example:8443',
    talosVersion: TALOS_VERSION,
    kubernetesVersion: '1.34.1',
    installDisk: '/dev/sda',
    schematicId: '376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba',
    certSANs: ['127.0.0.1'],
    skipNodeRegistration: false,
    secrets,
    patches: [],
    ...over,
  });
}

/** One machine, seen over the Talos API. */
export class TalosCaller {
  private readonly machine: MachineServiceClient;
  private readonly state: StateClient;

  constructor(address: string, channel: ChannelCredentials) {
    const options = { 'grpc.initial_reconnect_backoff_ms': 50, 'grpc.max_reconnect_backoff_ms': 100 };
    this.machine = new MachineServiceClient(address, channel, options);
    this.state = new StateClient(address, channel, options);
  }

  static insecure(view: MachineView): TalosCaller {
    const channel = ChannelCredentials.createSsl(null, null, null, { rejectUnauthorized: false });
    return new TalosCaller(view.talosEndpoint, channel);
  }

  static async secure(
    view: MachineView,
    secrets: SecretsBundle,
    roles: readonly string[] = ['os:admin'],
    usage: 'client' | 'both' = 'client',
  ): Promise<TalosCaller> {
    const ca = await CertificateAuthority.load(secrets.certs.os);
    const pair = await ca.issue({ organizations: roles, usage, now: new Date(), ttlMs: DAY_MS });
    const channel = credentials.createSsl(
      Buffer.from(secrets.certs.os.crt),
      Buffer.from(toStandardLabel(pair.key)),
      Buffer.from(pair.crt),
    );
    return new TalosCaller(view.talosEndpoint, channel);
  }

  apply(text: string, more: { mode?: Mode; dryRun?: boolean } = {}): Promise<ApplyConfigurationResponse> {
    const request: ApplyConfigurationRequest = {
      data: Buffer.from(text),
      mode: more.mode ?? Mode.AUTO,
      dryRun: more.dryRun ?? false,
      tryModeTimeout: undefined,
    };
    return this.call((client, done) => client.applyConfiguration(request, deadline(), done));
  }

  bootstrap(): Promise<BootstrapResponse> {
    const request: BootstrapRequest = { recoverEtcd: false, recoverSkipHashCheck: false };
    return this.call((client, done) => client.bootstrap(request, deadline(), done));
  }

  async version(): Promise<{ tag: string; platform: string }> {
    const answer = await this.call<VersionResponse>((client, done) => client.version({}, deadline(), done));
    return {
      tag: answer.messages[0]?.version?.tag ?? '',
      platform: answer.messages[0]?.platform?.name ?? '',
    };
  }

  async services(): Promise<Record<string, string>> {
    const answer = await this.call<ServiceListResponse>((client, done) =>
      client.serviceList({}, deadline(), done),
    );
    return Object.fromEntries((answer.messages[0]?.services ?? []).map(({ id, state }) => [id, state]));
  }

  async members(): Promise<EtcdMember[]> {
    const answer = await this.call<EtcdMemberListResponse>((client, done) =>
      client.etcdMemberList({ queryLocal: false }, deadline(), done),
    );
    return answer.messages[0]?.members ?? [];
  }

  removeMember(memberId: bigint): Promise<EtcdRemoveMemberByIDResponse> {
    return this.call((client, done) => client.etcdRemoveMemberById({ memberId }, deadline(), done));
  }

  leave(): Promise<EtcdLeaveClusterResponse> {
    return this.call((client, done) => client.etcdLeaveCluster({}, deadline(40_000), done));
  }

  reboot(): Promise<RebootResponse> {
    return this.call((client, done) => client.reboot({ mode: RebootRequest_Mode.DEFAULT }, deadline(), done));
  }

  reset(labels: readonly string[], graceful: boolean): Promise<ResetResponse> {
    const systemPartitionsToWipe = labels.map((label) => ({ label, wipe: true }));
    return this.call((client, done) =>
      client.reset(
        {
          graceful,
          reboot: true,
          systemPartitionsToWipe,
          userDisksToWipe: [],
          mode: ResetRequest_WipeMode.ALL,
        },
        deadline(),
        done,
      ),
    );
  }

  /** The spec of a resource, from its YAML. */
  async get<T>(namespace: string, type: string, id: string): Promise<T> {
    const request: GetRequest = { namespace, type, id, options: undefined };
    return new Promise((resolve, reject) => {
      this.state.get(request, deadline(), (error, answer) =>
        error === null ? resolve(parse(answer.resource?.spec?.yamlSpec ?? '') as T) : reject(error),
      );
    });
  }

  async list(namespace: string, type: string): Promise<string[]> {
    const stream: ClientReadableStream<ListResponse> = this.state.list({
      namespace,
      type,
      options: undefined,
    });
    const ids: string[] = [];
    for await (const item of stream) {
      ids.push((item as ListResponse).resource?.metadata?.id ?? '');
    }
    return ids;
  }

  async status(): Promise<{ stage: string; ready: boolean; unmet: string[] }> {
    const spec = await this.get<{
      stage: string;
      status: { ready: boolean; unmetConditions: { name: string }[] };
    }>('runtime', 'MachineStatuses.runtime.talos.dev', 'machine');
    return {
      stage: spec.stage,
      ready: spec.status.ready,
      unmet: spec.status.unmetConditions.map((condition) => condition.name),
    };
  }

  close(): void {
    this.machine.close();
    this.state.close();
  }

  private call<T>(
    start: (client: MachineServiceClient, done: (error: ServiceError | null, answer: T) => void) => unknown,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      start(this.machine, (error, answer) => (error === null ? resolve(answer) : reject(error)));
    });
  }
}

/** The generated overloads with call options want metadata too; a call without them has no deadline. */
function deadline(ms = 10_000): never {
  return { deadline: Date.now() + ms } as never;
}
