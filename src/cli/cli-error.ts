/** A refusal as the person at the terminal reads it: what, why, what to run next. */
import { EXIT, type ExitCode } from './exit-codes';

export interface CliErrorOptions {
  readonly exitCode?: ExitCode;
  /** One line per fault. */
  readonly why?: readonly string[];
  /** A sentence or a command. */
  readonly next?: string;
  readonly requestId?: string;
}

export class CliError extends Error {
  constructor(
    message: string,
    readonly options: CliErrorOptions = {},
  ) {
    super(message);
    this.name = 'CliError';
  }

  get exitCode(): ExitCode {
    return this.options.exitCode ?? EXIT.failed;
  }

  lines(): string[] {
    const { why = [], next, requestId } = this.options;
    const id = requestId === undefined ? '' : `request ${requestId}`;
    const last = next === undefined ? id : `Next: ${next}${id === '' ? '' : `  (${id})`}`;
    return [`Error: ${this.message}`, ...why.map((line) => `  ${line}`), ...(last === '' ? [] : [last])];
  }
}

export function usageError(message: string, next?: string): CliError {
  return new CliError(message, { exitCode: EXIT.usage, ...(next === undefined ? {} : { next }) });
}
