/** JSON lines with pino's level numbers. Nothing secret is ever handed to it: no tokens, no keys, no error objects. */

const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;
export type LogLevel = keyof typeof LEVELS;
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export class AgentLog {
  private readonly least: number;

  constructor(
    private readonly write: (line: string) => void,
    private readonly base: LogFields = {},
    private readonly level: LogLevel = 'info',
  ) {
    this.least = LEVELS[level];
  }

  with(fields: LogFields): AgentLog {
    return new AgentLog(this.write, { ...this.base, ...fields }, this.level);
  }

  debug(msg: string, fields?: LogFields): void {
    this.line('debug', msg, fields);
  }

  info(msg: string, fields?: LogFields): void {
    this.line('info', msg, fields);
  }

  warn(msg: string, fields?: LogFields): void {
    this.line('warn', msg, fields);
  }

  error(msg: string, fields?: LogFields): void {
    this.line('error', msg, fields);
  }

  private line(level: LogLevel, msg: string, fields: LogFields = {}): void {
    if (LEVELS[level] < this.least) {
      return;
    }
    const time = new Date().toISOString();
    this.write(`${JSON.stringify({ level: LEVELS[level], time, ...this.base, ...fields, msg })}\n`);
  }
}

export function isLogLevel(value: string): value is LogLevel {
  return Object.hasOwn(LEVELS, value);
}
