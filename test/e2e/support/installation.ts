/** One embedded installation as a person starts it: whole processes, a data directory of its own, ports of its own. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(__dirname, '../../..');
const run = promisify(execFile);
export const READY_MS = 120_000;

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Ports that belong together, all free now. */
async function freeBasePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const base = 20_000 + Math.floor(Math.random() * 2_000) * 10;
    const free = await Promise.all(Array.from({ length: 6 }, (_, i) => isFree(base + i)));
    if (free.every(Boolean)) {
      return base;
    }
  }
  throw new Error('no six neighboring ports are free');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const server = createServer();
    server.once('error', () => {
      answer(false);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => answer(true)));
  });
}

/** Asks until the answer is there; the last answer is in the error. */
export async function until<T>(
  what: string,
  ms: number,
  ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const end = Date.now() + ms;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const answer = await ask();
      if (answer !== undefined) {
        return answer;
      }
    } catch (error) {
      last = error;
    }
    await new Promise((wake) => setTimeout(wake, 200));
  }
  throw new Error(`not within ${ms / 1000} s: ${what}`, { cause: last });
}

export class Installation {
  private supervisor: ChildProcess | undefined;
  private output = '';

  private constructor(
    readonly dir: string,
    readonly port: number,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}): Promise<Installation> {
    const dir = mkdtempSync(join(tmpdir(), 'quorate-e2e-'));
    // Under root the database runs as another user, who must be able to enter.
    chmodSync(dir, 0o755);
    const installation = new Installation(dir, await freeBasePort(), env);
    await installation.boot();
    return installation;
  }

  async boot(): Promise<void> {
    const env = {
      ...process.env,
      ...this.env,
      QUORATE_DATA_DIR: this.dir,
      QUORATE_PORT: String(this.port),
      NO_COLOR: '1',
    };
    this.output = '';
    const child = spawn(process.execPath, [join(root, 'tools/start.mjs')], {
      env,
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.supervisor = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    await until('Quorate is ready', READY_MS, () => {
      if (child.exitCode !== null) {
        throw new Error(`npm start ended with ${child.exitCode}: ${this.output}`);
      }
      return this.output.includes('Quorate is ready') ? true : undefined;
    }).catch((error: unknown) => {
      throw new Error(`it does not start:\n${this.output}`, { cause: error });
    });
  }

  get quickstart(): { url: string; tenant: string; token: string; operatorToken: string } {
    return JSON.parse(readFileSync(join(this.dir, 'quickstart.json'), 'utf8')) as ReturnType<
      () => Installation['quickstart']
    >;
  }

  pidOf(name: string): number | undefined {
    return (JSON.parse(readFileSync(join(this.dir, 'pids.json'), 'utf8')) as Record<string, number>)[name];
  }

  /** SIGKILL; the supervisor starts it again. */
  kill(name: string): void {
    const pid = this.pidOf(name);
    if (pid !== undefined) {
      process.kill(pid, 'SIGKILL');
    }
  }

  /** Kills it as soon as there is one to kill, and waits until it was started again. */
  async killAndAwaitRestart(name: string): Promise<void> {
    const before = await until(`${name} runs`, READY_MS, () => this.pidOf(name));
    process.kill(before, 'SIGKILL');
    await until(`${name} was started again`, READY_MS, () => {
      const now = this.pidOf(name);
      return now !== undefined && now !== before ? true : undefined;
    });
  }

  async cli(...args: string[]): Promise<CliResult> {
    const env = {
      ...process.env,
      QUORATE_DATA_DIR: this.dir,
      NO_COLOR: '1',
      XDG_CONFIG_HOME: join(this.dir, 'config'),
    };
    try {
      const { stdout, stderr } = await run(process.execPath, [join(root, 'bin/quorate.mjs'), ...args], {
        env,
        cwd: root,
        maxBuffer: 1 << 24,
      });
      return { code: 0, stdout, stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, stdout, stderr };
    }
  }

  /** The tenant API with the demo tenant's token; the parsed body of any status. */
  async api(
    path: string,
    init: RequestInit = {},
    token = this.quickstart.token,
  ): Promise<{ status: number; body: unknown }> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(init.body !== undefined && { 'content-type': 'application/json' }),
    };
    const answer = await fetch(`${this.quickstart.url}/api/v1${path}`, {
      ...init,
      headers,
      signal: AbortSignal.timeout(10_000),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
  }

  /** Simulated machines of one provider's site, as its cloud counts them. */
  async cloudMachines(site: string): Promise<readonly { ref: string; machineId: string; state: string }[]> {
    const { url, token } = JSON.parse(readFileSync(join(this.dir, 'simulator.json'), 'utf8')) as {
      url: string;
      token: string;
    };
    const answer = await fetch(`${url}/machines?site=${site}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return ((await answer.json()) as { machines: { ref: string; machineId: string; state: string }[] })
      .machines;
  }

  /** Rows of the database, across tenants. */
  async sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const { Client } = await import('pg');
    const { passwords } = JSON.parse(readFileSync(join(this.dir, 'secrets.json'), 'utf8')) as {
      passwords: Record<string, string>;
    };
    const client = new Client({
      host: '127.0.0.1',
      port: this.port + 5,
      user: 'quorate_system',
      password: passwords['quorate_system'],
      database: 'quorate',
    });
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Like Ctrl-C. */
  async stop(): Promise<number | null> {
    const child = this.supervisor;
    if (child === undefined || child.exitCode !== null) {
      return child?.exitCode ?? null;
    }
    const ended = new Promise<number | null>((done) => child.once('exit', done));
    child.kill('SIGINT');
    return ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
