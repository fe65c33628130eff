// The data directory of the embedded default: one owner at a time, and what an earlier start left behind repaired.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { alive } from '../pg.mjs';
import { say, StartError } from './say.mjs';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Process numbers are used again after a reboot: the command line must fit as well. */
export function runs(pid, fragment) {
  if (!Number.isInteger(pid) || pid <= 0 || !alive(pid)) return false;
  const found = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  if (found.error === undefined) return found.stdout.includes(fragment);
  const procfs = `/proc/${pid}/cmdline`;
  return !fs.existsSync(procfs) || fs.readFileSync(procfs, 'utf8').includes(fragment);
}

export function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined; // missing, or cut off in the middle of a write
  }
}

/** Whole or not at all, and for the owner's eyes only. */
export function writePrivate(file, value) {
  const next = `${file}.next`;
  fs.writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  fs.renameSync(next, file);
}

/** Not mkdir's `recursive`: below a directory that takes no entries (/proc) Node 20 never comes back from that. */
function makeDirectories(dir) {
  if (fs.existsSync(dir)) return;
  if (path.dirname(dir) !== dir) makeDirectories(path.dirname(dir));
  fs.mkdirSync(dir);
}

function makeWritable(dir) {
  try {
    makeDirectories(path.join(dir, 'logs'));
    const probe = path.join(dir, `.write-${process.pid}`);
    fs.writeFileSync(probe, '');
    fs.rmSync(probe);
  } catch (error) {
    throw new StartError(
      `cannot write to ${dir} (${error.code}); set QUORATE_DATA_DIR to a directory of yours`,
    );
  }
}

/** Takes the directory, or says who has it. */
export function takeDataDirectory(dir) {
  makeWritable(dir);
  const lock = path.join(dir, 'supervisor.pid');
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
      process.on('exit', () => fs.rmSync(lock, { force: true }));
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const pid = Number(fs.readFileSync(lock, 'utf8'));
    if (runs(pid, 'start.mjs')) {
      throw new StartError(`already running on ${dir} as process ${pid}; stop it with: kill ${pid}`);
    }
    fs.rmSync(lock, { force: true });
  }
  throw new StartError(`cannot take ${lock}; remove that file if no other Quorate starts right now`);
}

/** Children whose supervisor was killed end by themselves; the ports are free once they have. */
export async function endLeftovers(dir) {
  const recorded = readJson(path.join(dir, 'pids.json')) ?? {};
  const left = () =>
    Object.entries(recorded).filter(([name, pid]) => name !== 'postgres' && runs(pid, path.join('dist', '')));
  if (left().length === 0) return;
  say(
    `ending what an earlier start left behind: ${left()
      .map(([name]) => name)
      .join(', ')}`,
  );
  for (const [, pid] of left()) process.kill(pid, 'SIGTERM');
  for (const end = Date.now() + 16_000; left().length > 0 && Date.now() < end; ) await sleep(100);
  for (const [, pid] of left()) process.kill(pid, 'SIGKILL');
  for (const end = Date.now() + 2000; left().length > 0 && Date.now() < end; ) await sleep(50);
}
