/** RFC 9457 problem details: the one shape of every refusal. */
import { z } from 'zod';
import { DomainError } from '../../domain/shared/errors';
import { PROBLEM_CODES, type ProblemCode } from './problem-codes';

export const ViolationView = z
  .strictObject({
    file: z.string().optional(),
    line: z.int().min(1).max(10_000_000).optional(),
    column: z.int().min(1).max(10_000_000).optional(),
    path: z.string(),
    code: z.string(),
    reason: z.string(),
    remedy: z.string(),
  })
  .meta({ id: 'Violation' });

export const Problem = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().optional(),
    instance: z.string(),
    code: z.string(),
    errors: z.array(ViolationView).optional(),
    help: z.string(),
    requestId: z.string(),
    retryable: z.boolean(),
    retryAfterMs: z.int().min(0).max(86_400_000).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.output<typeof Problem>;

const INTERNAL: ProblemCode = {
  status: 500,
  title: 'Something went wrong on our side',
  retryable: true,
  help: '',
};

/** Anything but a listed refusal becomes INTERNAL without a detail: its text may name what nobody may see. */
export function toProblem(error: unknown, requestId: string): Problem {
  const listed = error instanceof DomainError ? PROBLEM_CODES[error.code] : undefined;
  if (!(error instanceof DomainError) || listed === undefined) {
    return describe('INTERNAL', PROBLEM_CODES['INTERNAL'] ?? INTERNAL, requestId);
  }
  const { help, retryAfterMs } = error.options;
  return {
    ...describe(error.code, listed, requestId),
    ...(error.message === '' ? {} : { detail: error.message }),
    ...(error.violations.length === 0 ? {} : { errors: [...error.violations] }),
    ...(help === undefined ? {} : { help }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function describe(
  code: string,
  { status, title, help, retryable = false }: ProblemCode,
  requestId: string,
): Problem {
  return {
    type: `/problems/${code}`,
    title,
    status,
    instance: `urn:quorate:request:${requestId}`,
    code,
    help,
    requestId,
    retryable,
  };
}
