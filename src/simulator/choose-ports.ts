/** Ports of machines: chosen once, below the range from which the system hands out ports of its own accord. */
import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';
import type { MachinePorts } from './machine/machine-record';

const LOWEST = 16_000;
const HIGHEST = 31_999;
const ATTEMPTS = 2_000;

export class PortChooser {
  private readonly taken = new Set<number>();
  private next = randomInt(LOWEST, HIGHEST);

  reserve(ports: MachinePorts): void {
    for (const port of numbersOf(ports)) {
      this.taken.add(port);
    }
  }

  release(ports: MachinePorts): void {
    for (const port of numbersOf(ports)) {
      this.taken.delete(port);
    }
  }

  async chooseForMachine(): Promise<MachinePorts> {
    return {
      talos: await this.choose(),
      kubernetes: await this.choose(),
      etcdClient: await this.choose(),
      etcdPeer: await this.choose(),
    };
  }

  private async choose(): Promise<number> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const port = this.next;
      this.next = port >= HIGHEST ? LOWEST : port + 1;
      if (this.taken.has(port)) {
        continue;
      }
      this.taken.add(port);
      if (await isFree(port)) {
        return port;
      }
      this.taken.delete(port);
    }
    throw new Error('no free ports are left for simulated machines');
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

function numbersOf(ports: MachinePorts): number[] {
  return [ports.talos, ports.kubernetes, ports.etcdClient, ports.etcdPeer];
}
