import type { LoggerService } from '@nestjs/common';
import type { JsonLogger } from './json-logger';

type Method = 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal';

/**
 * What `new Logger('Name')` of @nestjs/common writes to. Besides Nest's own forms it takes fields and errors:
 * `logger.warn('lease lost', { key })`, `logger.error('probe failed', error)`.
 */
export class NestJsonLogger implements LoggerService {
  constructor(private readonly logger: JsonLogger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(method: Method, message: unknown, rest: unknown[]): void {
    const fields: Record<string, unknown> = {};
    const given = [...rest];
    // Nest appends the logger's name as the last argument.
    if (typeof given.at(-1) === 'string') {
      fields['context'] = given.pop();
    }
    for (const value of [message, ...given]) {
      addField(fields, value);
    }
    this.logger[method](fields, textOf(message));
  }
}

function addField(fields: Record<string, unknown>, value: unknown): void {
  if (value instanceof Error) {
    fields['err'] = value;
  } else if (typeof value === 'object' && value !== null) {
    Object.assign(fields, value);
  }
}

function textOf(message: unknown): string {
  if (typeof message === 'string') {
    return message;
  }
  return message instanceof Error ? message.message : '';
}
