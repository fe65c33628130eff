/** Everything that the commands know of the outside world, so that tests can give them another one. */

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdinIsTty: boolean;
  readonly stdoutIsTty: boolean;
  readonly stderrIsTty: boolean;
  /** Of a line on the screen. */
  readonly columns: number;
  /** Data only. */
  out(text: string): void;
  /** Everything for people: progress, warnings, errors, hints. */
  err(text: string): void;
  /** All of it, to its end. */
  readStdin(): Promise<string>;
  /** Asks on stderr, so that stdout stays data. `hidden` does not show what is typed. */
  ask(question: string, hidden?: boolean): Promise<string>;
  now(): number;
  /** Ends early when the signal says so. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls back at the first Ctrl-C; a second one ends the process. Answers how to stop listening. */
  onInterrupt(callback: () => void): () => void;
}

export function wantsColor(terminal: Terminal, isTty: boolean): boolean {
  const { NO_COLOR, TERM } = terminal.env;
  return isTty && (NO_COLOR ?? '') === '' && TERM !== 'dumb';
}
