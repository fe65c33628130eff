/** The user's contexts: `$XDG_CONFIG_HOME/quorate/config.yaml`, readable by nobody else since it holds tokens. */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { CliError } from '../cli-error';
import type { Terminal } from '../terminal/terminal';

export interface Context {
  readonly name: string;
  readonly endpoint: string;
  readonly tenant: string;
  readonly token: string;
}

export interface ConfigFile {
  readonly currentContext: string | undefined;
  readonly contexts: readonly Context[];
}

const EMPTY: ConfigFile = { currentContext: undefined, contexts: [] };

export function configPath({ env }: Pick<Terminal, 'env'>): string {
  const xdg = env['XDG_CONFIG_HOME'];
  const base = xdg === undefined || xdg === '' ? path.join(env['HOME'] ?? homedir(), '.config') : xdg;
  return path.join(base, 'quorate', 'config.yaml');
}

function contextOf(value: unknown): Context | undefined {
  const { name, endpoint, tenant, token } = (value ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && typeof endpoint === 'string' && typeof token === 'string'
    ? { name, endpoint, tenant: typeof tenant === 'string' ? tenant : '', token }
    : undefined;
}

export async function readConfigFile(terminal: Pick<Terminal, 'env'>): Promise<ConfigFile> {
  const file = configPath(terminal);
  if (!existsSync(file)) {
    return EMPTY;
  }
  const { parse } = await import('yaml');
  try {
    const read = (parse(readFileSync(file, 'utf8')) ?? {}) as Record<string, unknown>;
    const listed: unknown[] = Array.isArray(read['contexts']) ? read['contexts'] : [];
    const current = read['currentContext'];
    return {
      currentContext: typeof current === 'string' ? current : undefined,
      contexts: listed.map(contextOf).filter((context) => context !== undefined),
    };
  } catch (error) {
    const why = [error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)];
    throw new CliError(`${file} cannot be read`, {
      why,
      next: 'correct the file, or move it away and log in again',
    });
  }
}

export async function writeConfigFile(terminal: Pick<Terminal, 'env'>, config: ConfigFile): Promise<string> {
  const { stringify } = await import('yaml');
  const file = configPath(terminal);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writePrivateFile(file, stringify(config));
  return file;
}

/** Whole or not at all, and never readable by others, not even for a moment. */
export function writePrivateFile(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}.tmp`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  chmodSync(unfinished, 0o600); // a leftover of the same name keeps its mode otherwise
  renameSync(unfinished, file);
}
