import { setTimeout as delay } from 'node:timers/promises';
import type { Terminal } from './terminal';

const INTERRUPTED = 130;

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function ask(question: string, hidden = false): Promise<string> {
  const { createInterface } = await import('node:readline');
  const { Writable } = await import('node:stream');
  process.stderr.write(question);
  // readline echoes to its output; a hidden answer goes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = hidden ? nowhere : process.stderr;
  const lines = createInterface({ input: process.stdin, output, terminal: true, prompt: '' });
  return new Promise((resolve) => {
    const end = (answer: string): void => {
      lines.close();
      if (hidden) {
        process.stderr.write('\n');
      }
      resolve(answer.trim());
    };
    lines.once('line', end);
    lines.once('SIGINT', () => process.exit(INTERRUPTED));
    lines.once('close', () => resolve(''));
  });
}

function onInterrupt(callback: () => void): () => void {
  let asked = false;
  const listener = (): void => {
    if (asked) {
      process.exit(INTERRUPTED);
    }
    asked = true;
    callback();
  };
  process.on('SIGINT', listener);
  return () => process.off('SIGINT', listener);
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  // `quorate cluster list | head` closes the pipe early, which is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  return {
    env: process.env,
    cwd: process.cwd(),
    stdinIsTty: process.stdin.isTTY,
    stdoutIsTty: process.stdout.isTTY,
    stderrIsTty: process.stderr.isTTY,
    columns: process.stdout.columns || 80,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    readStdin,
    ask,
    now: () => Date.now(),
    pause: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
    onInterrupt,
  };
}
