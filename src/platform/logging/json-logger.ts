/** JSON lines on standard output: one object per line, with the current log context and without secrets. */
import pino, { type DestinationStream, type Logger } from 'pino';
import { currentLogContext } from './log-context';
import { redactSecrets } from './redact-secrets';

export type JsonLogger = Logger;

interface Options {
  readonly level: string;
  /** Standard output by default. Synchronous: the last line of a crash must get out. */
  readonly destination?: DestinationStream;
}

export function createJsonLogger({ level, destination }: Options): JsonLogger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => ({ ...currentLogContext() }),
    formatters: {
      log: (fields: Record<string, unknown>) => redactSecrets(fields) as Record<string, unknown>,
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
