/** What `npm start` says when it cannot start, in one line each, and what it leaves alone. Whole processes. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(__dirname, '../..');

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

function start(env: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn(process.execPath, [path.join(root, 'tools/start.mjs')], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  }
  return new Promise((resolve) => child.once('exit', (code) => resolve({ code, said })));
}

function listen(port = 0): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** A process with the supervisor's name that does nothing: what a running installation looks like from outside. */
async function standIn(dir: string): Promise<{ pid: number; end: () => Promise<void> }> {
  const script = path.join(dir, 'start.mjs');
  writeFileSync(script, "setInterval(() => {}, 1000); console.log('up');");
  const child = spawn(process.execPath, [script]);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const gone = new Promise((resolve) => child.once('exit', resolve));
  return {
    pid: child.pid ?? 0,
    end: async () => {
      child.kill();
      await gone;
    },
  };
}

describe('a start that cannot be', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'quorate-start-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('names the port that is in use and the variable that moves it', async () => {
    const taken = await listen();
    const { port } = taken.address() as AddressInfo;
    const ended = await start({ QUORATE_DATA_DIR: dir, QUORATE_PORT: String(port) });
    taken.close();
    expect(ended).toEqual({
      code: 1,
      said: `quorate: port ${port} (HTTP) is in use; set QUORATE_PORT to another base port\n`,
    });
  });

  it('names the door behind the port, also when it is not the first', async () => {
    const taken = await listen();
    const { port } = taken.address() as AddressInfo;
    const ended = await start({ QUORATE_DATA_DIR: dir, QUORATE_PORT: String(port - 2) });
    taken.close();
    expect(ended.code).toBe(1);
    expect(ended.said).toMatch(
      /^quorate: port \d+ \((HTTP|provider door|Kubernetes gateway)\) is in use; [^\n]+\n$/,
    );
  });

  it.each(['eighty', '0', '99999', '8080.5'])('refuses QUORATE_PORT=%s', async (port) => {
    const ended = await start({ QUORATE_DATA_DIR: dir, QUORATE_PORT: port });
    expect(ended).toEqual({
      code: 1,
      said: `quorate: QUORATE_PORT must be a port number from 1 to 65530, not "${port}"\n`,
    });
  });

  it('names a directory that it cannot write to', async () => {
    const file = path.join(dir, 'a-file');
    writeFileSync(file, '');
    const below = path.join(file, 'data');
    const ended = await start({ QUORATE_DATA_DIR: below });
    expect(ended).toEqual({
      code: 1,
      said: `quorate: cannot write to ${below} (ENOTDIR); set QUORATE_DATA_DIR to a directory of yours\n`,
    });
  });

  it('names the process that already runs on the directory, and touches nothing of it', async () => {
    const other = await standIn(dir);
    writeFileSync(path.join(dir, 'supervisor.pid'), String(other.pid));
    writeFileSync(path.join(dir, 'pids.json'), '{}');
    const ended = await start({ QUORATE_DATA_DIR: dir });
    await other.end();
    expect(ended).toEqual({
      code: 1,
      said: `quorate: already running on ${dir} as process ${other.pid}; stop it with: kill ${other.pid}\n`,
    });
    expect(readFileSync(path.join(dir, 'supervisor.pid'), 'utf8')).toBe(String(other.pid));
    expect(existsSync(path.join(dir, 'pids.json'))).toBe(true);
  });

  it('goes past a lock whose process is gone or is another program', async () => {
    const taken = await listen();
    const { port } = taken.address() as AddressInfo;
    for (const stale of ['', '999999', String(process.pid)]) {
      writeFileSync(path.join(dir, 'supervisor.pid'), stale);
      const ended = await start({ QUORATE_DATA_DIR: dir, QUORATE_PORT: String(port) });
      expect(ended.said).toContain('is in use'); // the next thing that is checked
    }
    taken.close();
    expect(existsSync(path.join(dir, 'supervisor.pid'))).toBe(false);
  });

  it('does not start anew over a database whose key is lost', async () => {
    mkdirSync(path.join(dir, 'pg'));
    writeFileSync(path.join(dir, 'pg', 'initdb.complete'), '');
    const free = await listen();
    const { port } = free.address() as AddressInfo;
    free.close();
    const ended = await start({ QUORATE_DATA_DIR: dir, QUORATE_PORT: String(port) });
    expect(ended.code).toBe(1);
    expect(ended.said).toBe(
      `quorate: ${path.join(dir, 'secrets.json')} is missing or damaged; restore it, or remove ${dir} to start anew\n`,
    );
  });
});
