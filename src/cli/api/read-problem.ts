/** RFC 9457 problems as three kinds of lines: what, why with the place of each fault, what to do. */
import { CliError } from '../cli-error';
import { exitCodeOfStatus } from '../exit-codes';
import type { Violation } from './api-types';

interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly help?: string;
  readonly requestId?: string;
  readonly errors?: readonly Violation[];
}

/** `file:line:column path reason` as editors and terminals make it clickable, then the remedy. */
export function violationLine({ file, line, column, path, reason, remedy }: Violation): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const where = [place, path].filter((part) => part !== '').join(' ');
  const fix = remedy === '' ? '' : ` -> ${remedy}`;
  return `${where === '' ? '' : `${where}: `}${reason}${fix}`;
}

/** The help of some problems speaks to programs, of `errors[]`; people have just read those lines. */
const nextOf = (help: string): string =>
  help.startsWith('errors[]') ? 'correct what is named above; nothing was changed' : help;

export class ApiError extends CliError {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    const { title = `the server answered ${status}`, detail, code, errors = [], help, requestId } = problem;
    super(`${title}${code === undefined ? '' : ` [${code}]`}`, {
      exitCode: exitCodeOfStatus(status),
      why:
        errors.length > 0
          ? errors.map(violationLine)
          : detail === undefined || detail === title
            ? []
            : [detail],
      ...(help === undefined || help === '' ? {} : { next: nextOf(help) }),
      ...(requestId === undefined ? {} : { requestId }),
    });
  }
}

export function toApiError(status: number, body: string, requestId: string | undefined): ApiError {
  try {
    const parsed = JSON.parse(body) as Problem;
    return new ApiError(status, { ...(requestId === undefined ? {} : { requestId }), ...parsed });
  } catch {
    // Something before the server answered: a proxy, or another program on that port.
    const problem: Problem = {
      detail: 'the answer is not from a Quorate server',
      help: 'check the endpoint',
    };
    return new ApiError(status, requestId === undefined ? problem : { ...problem, requestId });
  }
}
