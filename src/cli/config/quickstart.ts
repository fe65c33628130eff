/** The file that `npm start` leaves for the CLI, so that the first command works without a login. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Terminal } from '../terminal/terminal';

export interface Quickstart {
  readonly file: string;
  readonly url: string;
  readonly tenant: string;
  readonly token: string;
  readonly operatorToken: string | undefined;
}

export function quickstartPath({ env, cwd }: Pick<Terminal, 'env' | 'cwd'>): string {
  return path.resolve(cwd, env['QUORATE_DATA_DIR'] ?? '.data', 'quickstart.json');
}

export function readQuickstart(terminal: Pick<Terminal, 'env' | 'cwd'>): Quickstart | undefined {
  const file = quickstartPath(terminal);
  try {
    const { url, tenant, token, operatorToken } = JSON.parse(readFileSync(file, 'utf8')) as Record<
      string,
      unknown
    >;
    if (typeof url !== 'string' || typeof tenant !== 'string' || typeof token !== 'string') {
      return undefined;
    }
    return {
      file,
      url,
      tenant,
      token,
      operatorToken: typeof operatorToken === 'string' ? operatorToken : undefined,
    };
  } catch {
    return undefined; // absent, or half-written by a start that is under way
  }
}
