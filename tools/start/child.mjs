// One supervised process: its log file, its restarts with back-off, its end.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { say } from './say.mjs';

const MAX_BACKOFF_MS = 30_000;
/** A child that lived this long starts its back-off anew. */
const STEADY_MS = 60_000;
/** The server's own deadline is 15 s; past that it hangs. */
const STOP_DEADLINE_MS = 20_000;
const WARN = 40;

export class Child {
  #process;
  #stopping = false;
  #failures = 0;
  #timer;
  #log;

  /** `onChange` hears of every new process and every end. */
  constructor({ name, script, env, logs, onChange }) {
    Object.assign(this, { name, script, env, onChange });
    this.file = path.join(logs, `${name}.log`);
    if (fs.existsSync(this.file)) fs.renameSync(this.file, `${this.file}.1`);
    this.#log = fs.createWriteStream(this.file, { flags: 'a', mode: 0o600 });
  }

  get pid() {
    return this.#process?.pid;
  }

  /** Last exit before it was ever ready; undefined while it runs. */
  get ended() {
    return this.#process === undefined;
  }

  start() {
    const startedAt = Date.now();
    const child = spawn(process.execPath, ['--enable-source-maps', this.script], {
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'], // ipc: the child ends when this process does, however that ends
      detached: true, // Ctrl-C must not reach it: this process stops everything in order
    });
    this.#process = child;

    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (l) => this.#line(l));
    child.once('error', (error) => this.#line(`cannot start: ${error.message}`));
    // Killed from outside is no fault of its own: it starts again at once, and its back-off stays as it was.
    child.once('exit', (code, signal) =>
      this.#exited(code ?? signal, Date.now() - startedAt, signal === 'SIGKILL'),
    );
    this.onChange();
  }

  #line(line) {
    this.#log.write(`${line}\n`);
    const short = shortForm(line);
    if (short !== undefined && !this.#stopping) console.error(`  ${this.name}: ${short}`);
  }

  #exited(how, livedMs, killed) {
    this.#process = undefined;
    this.onChange();
    if (this.#stopping) return;
    if (!killed) this.#failures = livedMs > STEADY_MS ? 1 : this.#failures + 1;
    const wait = killed ? 1000 : Math.min(1000 * 2 ** (this.#failures - 1), MAX_BACKOFF_MS);
    say(`${this.name} ended (${how}); starting it again in ${wait / 1000} s, log in ${this.file}`);
    this.#timer = setTimeout(() => this.start(), wait);
  }

  async stop() {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#process;
    if (child !== undefined) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
      await gone;
      clearTimeout(hard);
    }
    await new Promise((resolve) => this.#log.end(resolve));
  }

  /** For a start that failed: what it said last. */
  tail(lines = 5) {
    const text = fs.readFileSync(this.file, 'utf8').trimEnd();
    return text
      .split('\n')
      .slice(-lines)
      .map((line) => shortForm(line, 0) ?? line)
      .join('\n');
  }
}

/** `warn cluster: message` of a JSON log line that is bad enough; a line that is no JSON came from a crash. */
function shortForm(line, level = WARN) {
  let entry;
  try {
    entry = JSON.parse(line);
  } catch {
    return level === WARN ? undefined : line;
  }
  if (typeof entry?.level !== 'number' || entry.level < level) return undefined;
  const word = entry.level >= 50 ? 'error' : entry.level >= WARN ? 'warning' : 'info';
  const context = entry.context === undefined ? '' : ` ${entry.context}:`;
  const cause =
    entry.err?.message === undefined || entry.err.message === entry.msg ? '' : ` (${entry.err.message})`;
  return `${word}${context} ${entry.msg ?? ''}${cause}`;
}
