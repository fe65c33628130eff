/** What every command that talks to a server starts with. */
import { ApiClient } from '../api/api-client';
import { resolveTarget, type TargetFlags } from '../config/resolve-target';
import { usageError } from '../cli-error';
import { formatOf, type Format } from '../output/print-result';
import { parseDuration } from '../output/relative-age';
import type { Terminal } from '../terminal/terminal';

/** Flags of every such command. */
export interface SessionFlags extends TargetFlags {
  readonly output?: string;
}

export interface Session {
  readonly terminal: Terminal;
  readonly api: ApiClient;
  readonly format: Format;
  readonly now: number;
}

export async function openSession(terminal: Terminal, flags: SessionFlags): Promise<Session> {
  const format = formatOf(flags.output); // a wrong flag is told before anybody looks for a server
  const api = new ApiClient(await resolveTarget(terminal, flags));
  return { terminal, api, format, now: terminal.now() };
}

export function durationFlag(flag: string, text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) {
    throw usageError(`${flag} ${text} is not a duration`, 'write it as 90s, 15m, 1h30m or 7d');
  }
  return ms;
}

export const secondsFlag = (flag: string, text: string): number => Math.ceil(durationFlag(flag, text) / 1000);
