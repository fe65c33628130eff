/** One simulated machine: from maintenance mode over installation to a node, and back. */
import { Server } from '@grpc/grpc-js';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { needsReboot } from '../config/compare-configs';
import type { NodeConfig } from '../config/node-config';
import { versionOfImage } from '../config/node-config';
import { judgeConfig } from '../config/validate-config';
import { announceNode, REFRESH_MS } from './announce-node';
import { maintenanceCertificate } from '../pki/certificates';
import { Apid } from './apid';
import { cosiService } from './cosi-service';
import { EtcdService } from './etcd-service';
import { NO_FAULT, type Fault } from './faults';
import { KubeServices } from './kube-services';
import { machineService } from './machine-service';
import type { MachineRecord } from './machine-record';
import { clusterTopic, type MachineWorld } from './machine-world';
import { pause } from './notifier';
import { obtainDoorKeys } from './node-certificates';
import { newNodeId, stableHostname } from './node-identity';

export type Stage =
  | 'booting'
  | 'installing'
  | 'maintenance'
  | 'running'
  | 'rebooting'
  | 'shutting down'
  | 'resetting'
  | 'upgrading';

const CERTIFICATE_RENEWAL_MS = 12 * 3_600_000;

export class SimulatedMachine {
  stage: Stage = 'booting';
  fault: Fault = NO_FAULT;
  /** The config it runs on; absent in maintenance mode. */
  config: NodeConfig | undefined;
  etcd: EtcdService | undefined;
  kube: KubeServices | undefined;
  /** A transition that takes the machine down is under way: it accepts no other. */
  leaving = false;
  private doorOpened = false;
  private readonly apid: Apid;
  private life = new AbortController();
  private timers: NodeJS.Timeout[] = [];
  private work: Promise<void> = Promise.resolve();

  constructor(
    readonly world: MachineWorld,
    readonly record: MachineRecord,
  ) {
    const server = new Server({
      'grpc.max_receive_message_length': 32 << 20,
      'grpc.max_send_message_length': 32 << 20,
    });
    machineService(server, this);
    cosiService(server, this);
    this.apid = new Apid(record.ports.talos, server);
  }

  get talosVersion(): string {
    return this.record.installedVersion ?? this.record.talosVersion;
  }

  get talosMinor(): number {
    return Number(this.talosVersion.split('.')[1] ?? 0);
  }

  get hostname(): string {
    return this.config?.hostname ?? stableHostname(this.record.nodeId ?? this.record.machineId);
  }

  get isCutOff(): boolean {
    return this.fault.kind === 'unreachable';
  }

  /** Its own cluster sees it even when the outside does not. */
  get isReachableByPeers(): boolean {
    return (
      this.record.power === 'on' && this.config !== undefined && !this.life.signal.aborted && this.doorOpened
    );
  }

  /** Finds out by itself what it is: its disk decides. */
  powerOn(): void {
    if (this.record.diskWiped || this.record.power === 'off') {
      return;
    }
    this.life = new AbortController();
    this.leaving = false;
    this.doorOpened = false;
    this.stage = 'booting';
    const { signal } = this.life;
    this.work = this.boot(signal).catch((error: unknown) => {
      if (!signal.aborted) {
        this.log(`boot: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  }

  /** Takes the machine down; `kill` is a power failure. */
  async halt(how: 'graceful' | 'kill'): Promise<void> {
    this.life.abort(new Error('the machine goes down'));
    for (const timer of this.timers.splice(0)) {
      clearInterval(timer);
    }
    await this.apid.close(how);
    await this.kube?.stop().catch(() => undefined);
    await this.etcd?.stop(how);
    await this.work;
    await this.kube?.stop().catch(() => undefined);
    await this.etcd?.stop(how);
    const { config } = this;
    this.etcd = undefined;
    this.kube = undefined;
    if (config !== undefined) {
      this.world.notifier.notify(clusterTopic(config));
    }
  }

  async dispose(how: 'graceful' | 'kill' = 'graceful'): Promise<void> {
    await this.halt(how);
    await this.apid.dispose();
  }

  /** A stage that ends with the machine down, and then whatever follows. */
  leave(stage: Stage, beforeDown: () => Promise<void>, afterDown: () => Promise<void> | void): void {
    this.leaving = true;
    const before = this.stage;
    this.stage = stage;
    const { signal } = this.life;
    void (async () => {
      try {
        await pause(this.world.latencyMs, signal);
        await beforeDown();
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        this.log(`${stage}: ${(error as Error).message}`);
        this.stage = before;
        this.leaving = false;
        return;
      }
      await this.halt('graceful');
      await afterDown();
    })().catch((error: unknown) => this.log(`${stage}: ${String(error)}`));
  }

  reboot(): void {
    this.leave(
      'rebooting',
      async () => undefined,
      () => this.powerOnAgain(),
    );
  }

  /** After the time that firmware and kernel take. */
  async powerOnAgain(): Promise<void> {
    this.stage = 'rebooting';
    await new Promise((resolve) => setTimeout(resolve, this.world.latencyMs));
    // Whoever stopped the simulator or cut the power meanwhile wants it down.
    if (this.life.signal.aborted && !this.disposed) {
      this.powerOn();
    }
  }

  /** The simulator itself stops: nothing comes back by itself. */
  disposed = false;

  /** First config: installs, reboots into the installed system. */
  install(config: NodeConfig): void {
    this.world.files.writeConfig(this.record.ref, config.text);
    const version = versionOfImage(config.installImage);
    this.leave(
      'installing',
      async () => {
        this.record.installedVersion = version ?? this.record.talosVersion;
        this.save();
        this.stage = 'rebooting';
      },
      () => this.powerOnAgain(),
    );
  }

  /** Whether the change can be made on the running machine. */
  wantsReboot(next: NodeConfig): boolean {
    return this.config === undefined || needsReboot(this.config.text, next.text);
  }

  async reconfigure(next: NodeConfig): Promise<void> {
    const before = this.config;
    this.world.files.writeConfig(this.record.ref, next.text);
    if (before === undefined || before.text === next.text) {
      return;
    }
    this.config = next;
    if (
      !isDeepStrictEqual(
        [before.certSans, before.osCa, before.acceptedCas],
        [next.certSans, next.osCa, next.acceptedCas],
      )
    ) {
      const keys = await obtainDoorKeys(this, next, this.life.signal);
      this.apid.renew(keys);
    }
    announceNode(this);
    const { signal } = this.life;
    if (this.stage === 'running') {
      await this.restartKubernetes(next, signal);
    }
  }

  async setFault(fault: Fault): Promise<void> {
    const before = this.fault;
    this.fault = fault;
    if (fault.kind === 'die') {
      this.record.power = 'off';
      this.save();
      await this.halt('kill');
      return;
    }
    if (fault.kind === 'none' && this.record.power === 'off' && !this.record.diskWiped) {
      this.record.power = 'on';
      this.save();
      this.powerOn();
      return;
    }
    if (this.isCutOff) {
      await this.apid.close('kill');
      await this.kube?.stopApi();
    } else if (before.kind === 'unreachable' && this.record.power === 'on') {
      await this.openDoor(this.life.signal);
      if (this.stage === 'running') {
        await this.kube?.startApi();
      }
    }
  }

  etcdLost(): void {
    void this.kube?.stopApi();
  }

  etcdFound(): void {
    void this.kube?.startApi().catch((error: unknown) => this.log(`kube-apiserver: ${String(error)}`));
  }

  save(): void {
    this.world.files.save(this.record);
  }

  log(text: string): void {
    this.world.log(this.record.ref, text);
  }

  private async boot(signal: AbortSignal): Promise<void> {
    await pause(this.world.latencyMs, signal);
    const text = this.world.files.readConfig(this.record.ref);
    if (text === undefined) {
      this.config = undefined;
      await this.openDoor(signal);
      this.stage = 'maintenance';
      return;
    }
    // Judged again: a config that an older Talos accepted may be refused by the version installed since.
    this.config = judgeConfig(text, this.talosMinor).config;
    this.record.nodeId ??= newNodeId();
    this.save();
    await this.bootConfigured(this.config, signal);
  }

  private async bootConfigured(config: NodeConfig, signal: AbortSignal): Promise<void> {
    const { record, world } = this;
    this.kube = new KubeServices(world, this, config);
    if (config.role === 'controlplane') {
      this.etcd = new EtcdService(world, this, config, {
        name: this.hostname,
        dataDir: path.join(world.files.etcdDir(record.ref), 'data'),
        clientPort: record.ports.etcdClient,
        peerPort: record.ports.etcdPeer,
      });
    }
    announceNode(this);
    if (config.discoveryEndpoint !== undefined) {
      this.every(REFRESH_MS, () => announceNode(this));
    }
    await this.openDoor(signal);
    world.notifier.notify(clusterTopic(config)); // workers wait for a control plane that signs their certificate
    this.every(CERTIFICATE_RENEWAL_MS, () => {
      void obtainDoorKeys(this, this.config ?? config, signal).then((keys) => this.apid.renew(keys));
    });
    await this.etcd?.run(signal);
    if (this.etcd !== undefined) {
      await this.kube.startApi();
    }
    await this.kube.startKubelet(signal);
    await pause(this.world.latencyMs, signal);
    this.stage = 'running';
  }

  private async openDoor(signal: AbortSignal): Promise<void> {
    const keys =
      this.config === undefined
        ? await maintenanceCertificate(['127.0.0.1'])
        : await obtainDoorKeys(this, this.config, signal);
    signal.throwIfAborted();
    if (!this.isCutOff) {
      await this.apid.open(keys);
    }
    this.doorOpened = true;
  }

  private async restartKubernetes(config: NodeConfig, signal: AbortSignal): Promise<void> {
    await this.kube?.stop();
    this.kube = new KubeServices(this.world, this, config);
    if (this.etcd !== undefined) {
      await this.kube.startApi();
    }
    await this.kube.startKubelet(signal);
  }

  private every(ms: number, act: () => void): void {
    this.timers.push(setInterval(act, ms).unref());
  }
}
