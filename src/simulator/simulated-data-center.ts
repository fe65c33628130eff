/** A simulated data centre: machines that speak the Talos API, their etcd, a discovery service and a control API. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { PUBLIC_DISCOVERY, type NodeConfig } from './config/node-config';
import { startControlApi, type RunningControlApi } from './control-api/control-api';
import type {
  MachineState,
  MachineView,
  PutMachineBody,
  SimulatorInfo,
} from './control-api/control-api-types';
import { PortChooser } from './choose-ports';
import { unseal, type Affiliate } from './discovery/affiliate-codec';
import { AffiliateRegistry } from './discovery/affiliate-registry';
import { startDiscovery, type RunningDiscovery } from './discovery/discovery-server';
import { chooseEngine, type EtcdChoice } from './etcd/choose-engine';
import type { EtcdEngine } from './etcd/etcd-engine';
import { startKubelet } from './kubernetes/kubelet';
import { startKubernetesApi } from './kubernetes/kubernetes-api';
import type { Fault } from './machine/faults';
import { MachineFiles, type MachineRecord } from './machine/machine-record';
import type { MachineWorld } from './machine/machine-world';
import { Notifier } from './machine/notifier';
import { SimulatedMachine } from './machine/simulated-machine';

const GIB = 1024 ** 3;
const EMPTY_SCHEMATIC = '376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba';

export interface DataCenterOptions {
  readonly stateDir: string;
  readonly token: string;
  readonly host?: string;
  /** 0 or absent: any free one; the same for discoveryPort. */
  readonly port?: number;
  readonly discoveryPort?: number;
  readonly etcd?: EtcdChoice;
  readonly etcdBinary?: string;
  /** How long one stage of a boot takes; default 300. 0 for tests and benchmarks. */
  readonly latencyMs?: number;
  /** Of the discovery service, as the public one has it. Default true. */
  readonly rateLimit?: boolean;
  readonly log?: (line: string) => void;
}

export class SimulatedDataCenter implements MachineWorld {
  readonly files: MachineFiles;
  readonly engine: EtcdEngine;
  readonly discovery = new AffiliateRegistry();
  readonly notifier = new Notifier();
  readonly latencyMs: number;
  readonly startKubelet = startKubelet;
  readonly startKubernetesApi = startKubernetesApi;
  private readonly machines = new Map<string, SimulatedMachine>();
  private readonly ports = new PortChooser();
  /** PUT and DELETE of one ref, one after the other. */
  private readonly turns = new Map<string, Promise<unknown>>();
  private controlApi: RunningControlApi | undefined;
  private discoveryServer: RunningDiscovery | undefined;

  constructor(private readonly options: DataCenterOptions) {
    mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
    this.files = new MachineFiles(path.join(options.stateDir, 'machines'));
    this.engine = chooseEngine(options.etcd ?? 'auto', options.stateDir, options.etcdBinary);
    this.latencyMs = options.latencyMs ?? 300;
    this.discovery.onChange((clusterId) => this.notifier.notify(clusterId));
  }

  /** Machines of an earlier life start again before the control API answers. */
  async start(): Promise<void> {
    this.discoveryServer = await startDiscovery(
      this.discovery,
      this.options.discoveryPort ?? 0,
      this.options.rateLimit ?? true,
    );
    for (const record of this.files.loadAll()) {
      this.adopt(record);
    }
    this.controlApi = await startControlApi(
      this,
      this.options.host ?? '127.0.0.1',
      this.options.port ?? 0,
      this.options.token,
    );
  }

  async stop(): Promise<void> {
    await this.controlApi?.close();
    const machines = [...this.machines.values()];
    for (const machine of machines) {
      machine.disposed = true;
    }
    await Promise.all(machines.map((machine) => machine.dispose()));
    await this.engine.close();
    await this.discoveryServer?.close();
    this.machines.clear();
  }

  get url(): string {
    return `http://${this.options.host ?? '127.0.0.1'}:${this.controlApi?.port ?? 0}`;
  }

  get discoveryEndpoint(): string {
    return `http://127.0.0.1:${this.discoveryServer?.port ?? 0}/`;
  }

  info(): SimulatorInfo {
    const { discoveryEndpoint, engine, machines } = this;
    return { simulated: true, etcd: engine.kind, discoveryEndpoint, machines: machines.size };
  }

  list(site?: string): MachineView[] {
    return [...this.machines.values()]
      .filter((machine) => site === undefined || machine.record.site === site)
      .map(viewOf);
  }

  find(ref: string): MachineView | undefined {
    const machine = this.machines.get(ref);
    return machine && viewOf(machine);
  }

  put(ref: string, body: PutMachineBody): Promise<{ created: boolean; machine: MachineView }> {
    return this.inTurn(ref, async () => {
      const existing = this.machines.get(ref);
      if (existing !== undefined) {
        return { created: false, machine: viewOf(existing) };
      }
      const record: MachineRecord = {
        ref,
        machineId: body.machineId ?? randomUUID(),
        requestId: body.requestId ?? '',
        site: body.site ?? 'default',
        cpus: body.cpus ?? 2,
        memoryBytes: body.memoryBytes ?? 4 * GIB,
        diskBytes: body.diskBytes ?? 20 * GIB,
        talosVersion: body.talosVersion.replace(/^v/, ''),
        schematicId: body.schematicId ?? EMPTY_SCHEMATIC,
        ports: await this.ports.chooseForMachine(),
        createdAt: new Date().toISOString(),
        power: 'on',
        diskWiped: false,
      };
      this.files.save(record);
      return { created: true, machine: viewOf(this.adopt(record)) };
    });
  }

  remove(ref: string): Promise<void> {
    return this.inTurn(ref, async () => {
      const machine = this.machines.get(ref);
      if (machine === undefined) {
        return;
      }
      machine.disposed = true;
      this.machines.delete(ref);
      await machine.dispose('kill');
      this.files.remove(ref);
      this.ports.release(machine.record.ports);
    });
  }

  /** False when there is no such machine. */
  async setFault(ref: string | undefined, fault: Fault): Promise<boolean> {
    const machine = ref === undefined ? undefined : this.machines.get(ref);
    if (ref !== undefined && machine === undefined) {
      return false;
    }
    const concerned = machine === undefined ? [...this.machines.values()] : [machine];
    await Promise.all(concerned.map((one) => one.setFault(fault)));
    return true;
  }

  /** Its own door, and the public name: this data centre has no Internet, so its resolver answers for that one. */
  reachesDiscovery(endpoint: string): boolean {
    const { hostname, port } = new URL(endpoint);
    if (hostname === new URL(PUBLIC_DISCOVERY).hostname) {
      return true;
    }
    return ['127.0.0.1', 'localhost'].includes(hostname) && Number(port) === this.discoveryServer?.port;
  }

  affiliates(config: NodeConfig): Affiliate[] {
    if (config.discoveryEndpoint === undefined || !this.reachesDiscovery(config.discoveryEndpoint)) {
      return [];
    }
    return this.discovery
      .list(config.clusterId)
      .flatMap(({ data }) => unseal(data, config.clusterSecret) ?? []);
  }

  /** By discovery; without it, by what answers under the cluster's endpoint and has the same Kubernetes CA. */
  controlPlanes(config: NodeConfig, self: SimulatedMachine): SimulatedMachine[] {
    const others = [...this.machines.values()].filter(
      (machine) => machine !== self && machine.isReachableByPeers && machine.config?.role === 'controlplane',
    );
    if (config.discoveryEndpoint === undefined) {
      return others.filter(
        (machine) =>
          machine.config?.endpoint.href === config.endpoint.href &&
          machine.config.osCa.crt === config.osCa.crt,
      );
    }
    const known = new Set(
      this.affiliates(config)
        .filter((affiliate) => affiliate.machineType === 'controlplane')
        .map((affiliate) => affiliate.nodeId),
    );
    return others.filter(
      (machine) => machine.record.nodeId !== undefined && known.has(machine.record.nodeId),
    );
  }

  log(machine: string, text: string): void {
    this.options.log?.(`simulated machine ${machine}: ${text}`);
  }

  private adopt(record: MachineRecord): SimulatedMachine {
    const machine = new SimulatedMachine(this, record);
    this.ports.reserve(record.ports);
    this.machines.set(record.ref, machine);
    machine.powerOn();
    return machine;
  }

  private async inTurn<T>(ref: string, act: () => Promise<T>): Promise<T> {
    const before = this.turns.get(ref) ?? Promise.resolve();
    const turn = before.then(act, act);
    this.turns.set(ref, turn);
    try {
      return await turn;
    } finally {
      if (this.turns.get(ref) === turn) {
        this.turns.delete(ref);
      }
    }
  }
}

function viewOf(machine: SimulatedMachine): MachineView {
  const { record } = machine;
  return {
    ref: record.ref,
    machineId: record.machineId,
    requestId: record.requestId,
    site: record.site,
    state: stateOf(machine),
    stage: machine.stage,
    hostname: machine.hostname,
    cpus: record.cpus,
    memoryBytes: record.memoryBytes,
    diskBytes: record.diskBytes,
    talosVersion: machine.talosVersion,
    schematicId: record.schematicId,
    addresses: ['127.0.0.1'],
    talosEndpoint: `127.0.0.1:${record.ports.talos}`,
    kubernetesEndpoint: `127.0.0.1:${record.ports.kubernetes}`,
    fault: machine.fault,
    simulated: true,
  };
}

function stateOf(machine: SimulatedMachine): MachineState {
  if (machine.record.power === 'off' || machine.record.diskWiped) {
    return 'stopped';
  }
  if (machine.stage === 'maintenance') {
    return 'maintenance';
  }
  return machine.config === undefined ? 'booting' : 'configured';
}
