/** What is known of a machine between two lives of the simulator; its config and etcd data lie beside it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface MachinePorts {
  readonly talos: number;
  readonly kubernetes: number;
  readonly etcdClient: number;
  readonly etcdPeer: number;
}

export interface MachineRecord {
  readonly ref: string;
  /** SMBIOS UUID. */
  readonly machineId: string;
  readonly requestId: string;
  readonly site: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** Of the image it was made from, without v. */
  readonly talosVersion: string;
  readonly schematicId: string;
  readonly ports: MachinePorts;
  readonly createdAt: string;
  /** What the installer wrote to the disk; absent before. */
  installedVersion?: string;
  power: 'on' | 'off';
  /** No operating system left on the disk: it does not come back. */
  diskWiped: boolean;
  /** Lives on STATE. */
  nodeId?: string;
}

export class MachineFiles {
  constructor(private readonly root: string) {
    mkdirSync(root, { recursive: true, mode: 0o700 });
  }

  loadAll(): MachineRecord[] {
    const records: MachineRecord[] = [];
    for (const name of readdirSync(this.root)) {
      const file = path.join(this.root, name, 'machine.json');
      // A directory without a record was being made or removed when the simulator died.
      if (existsSync(file)) {
        records.push(JSON.parse(readFileSync(file, 'utf8')) as MachineRecord);
      } else {
        rmSync(path.join(this.root, name), { recursive: true, force: true });
      }
    }
    return records.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  }

  save(record: MachineRecord): void {
    mkdirSync(this.dir(record.ref), { recursive: true, mode: 0o700 });
    replace(path.join(this.dir(record.ref), 'machine.json'), JSON.stringify(record, null, 2));
  }

  readConfig(ref: string): string | undefined {
    const file = path.join(this.dir(ref), 'config.yaml');
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  writeConfig(ref: string, text: string | undefined): void {
    const file = path.join(this.dir(ref), 'config.yaml');
    if (text === undefined) {
      rmSync(file, { force: true });
    } else {
      replace(file, text);
    }
  }

  etcdDir(ref: string): string {
    return path.join(this.dir(ref), 'etcd');
  }

  remove(ref: string): void {
    rmSync(path.join(this.dir(ref), 'machine.json'), { force: true });
    rmSync(this.dir(ref), { recursive: true, force: true });
  }

  private dir(ref: string): string {
    return path.join(this.root, encodeURIComponent(ref).replaceAll('.', '%2E'));
  }
}

function replace(file: string, text: string): void {
  writeFileSync(`${file}.next`, text, { mode: 0o600 });
  renameSync(`${file}.next`, file);
}
