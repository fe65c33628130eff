/** A terminal in memory: what went where, and a clock that moves only when somebody waits. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ExitCode } from '../exit-codes';
import { runCli } from '../run-cli';
import type { Terminal } from './terminal';

export class FakeTerminal implements Terminal {
  readonly cwd = mkdtempSync(path.join(tmpdir(), 'quorate-cli-'));
  env: Record<string, string | undefined> = { XDG_CONFIG_HOME: path.join(this.cwd, 'config') };
  stdinIsTty = false;
  stdoutIsTty = false;
  stderrIsTty = false;
  columns = 80;
  stdout = '';
  stderr = '';
  stdin = '';
  /** Answers to questions, in order. */
  answers: string[] = [];
  questions: string[] = [];
  private time = Date.parse('2026-06-01T12:00:00Z');
  private readonly interrupts = new Set<() => void>();

  out(text: string): void {
    this.stdout += text;
  }

  err(text: string): void {
    this.stderr += text;
  }

  readStdin(): Promise<string> {
    return Promise.resolve(this.stdin);
  }

  ask(question: string): Promise<string> {
    this.questions.push(question);
    return Promise.resolve(this.answers.shift() ?? '');
  }

  now(): number {
    return this.time;
  }

  pause(ms: number): Promise<void> {
    this.time += ms;
    return Promise.resolve();
  }

  onInterrupt(callback: () => void): () => void {
    this.interrupts.add(callback);
    return () => this.interrupts.delete(callback);
  }

  pressCtrlC(): void {
    this.interrupts.forEach((callback) => callback());
  }

  /** Forgets what earlier runs wrote. */
  run(...args: string[]): Promise<ExitCode> {
    this.stdout = '';
    this.stderr = '';
    return runCli(args, { terminal: this, version: '1.2.3' });
  }

  remove(): void {
    rmSync(this.cwd, { recursive: true, force: true });
  }
}
