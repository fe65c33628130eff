/** One etcd process. It ends with us, however we end: its supervisor shell reads a pipe that only we hold open. */
import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import path from 'node:path';
import type { EtcdSeat } from './etcd-engine';
import { clientUrl, peerUrl } from './etcd-engine';

/** Tenths of a second. */
const GRACE = 30;

/** A line `kill` ends etcd at once; end of input (we stopped, or died) ends it gracefully, then by force. */
const SUPERVISOR = `
exec 3<&0
"$@" </dev/null 3<&- &
pid=$!
( read -r how <&3
  if [ "$how" = kill ]; then kill -KILL $pid; exit; fi
  kill -TERM $pid; left=${GRACE}
  while kill -0 $pid && [ $left -gt 0 ]; do sleep 0.1; left=$((left - 1)); done
  kill -KILL $pid ) 2>/dev/null &
exec 3<&-
wait $pid
`;

export class EtcdProcess {
  readonly exited: Promise<void>;
  private alive = true;
  private constructor(private readonly child: ChildProcess) {
    this.exited = new Promise((resolve) => {
      const end = (): void => {
        this.alive = false;
        child.stdin?.destroy();
        resolve();
      };
      child.once('exit', end);
      child.once('error', end);
    });
    child.stdin?.on('error', () => undefined);
  }

  get running(): boolean {
    return this.alive;
  }

  static start(
    binary: string,
    seat: EtcdSeat,
    initialCluster: string | undefined,
    joins: boolean,
  ): EtcdProcess {
    const log = openSync(path.join(path.dirname(seat.dataDir), 'etcd.log'), 'a', 0o600);
    try {
      const args = [binary, ...etcdArgs(seat, initialCluster, joins)];
      return new EtcdProcess(
        spawn('/bin/sh', ['-c', SUPERVISOR, 'sh', ...args], {
          stdio: ['pipe', log, log],
          env: { PATH: process.env.PATH },
        }),
      );
    } finally {
      closeSync(log);
    }
  }

  async stop(how: 'graceful' | 'kill'): Promise<void> {
    if (!this.alive) {
      return;
    }
    if (how === 'kill') {
      this.child.stdin?.end('kill\n');
    } else {
      this.child.stdin?.end();
    }
    await this.exited;
  }
}

function etcdArgs(seat: EtcdSeat, initialCluster: string | undefined, joins: boolean): string[] {
  const pairs: Record<string, string> = {
    name: seat.name,
    'data-dir': seat.dataDir,
    'listen-client-urls': clientUrl(seat),
    'advertise-client-urls': clientUrl(seat),
    'listen-peer-urls': peerUrl(seat),
    'initial-advertise-peer-urls': peerUrl(seat),
    'log-level': 'warn',
    // Many members share one loaded machine: slower heartbeats avoid needless elections.
    'heartbeat-interval': '250',
    'election-timeout': '2500',
  };
  if (initialCluster !== undefined) {
    pairs['initial-cluster'] = initialCluster;
    pairs['initial-cluster-state'] = joins ? 'existing' : 'new';
  }
  return Object.entries(pairs).map(([name, value]) => `--${name}=${value}`);
}
