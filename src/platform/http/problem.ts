/** RFC 9457 problem details: the one shape of every refusal. */
import { z } from 'zod';
import { DomainError } from '../../domain/shared/errors';
import { PROBLEM_CODES, STATUS_OF_KIND } from './problem-codes';

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

const INTERNAL = new DomainError('unavailable', 'INTERNAL', '');

/** Anything that is not a DomainError becomes INTERNAL without a detail: its text may name what nobody may see. */
export function toProblem(error: unknown, requestId: string): Problem {
  const known = error instanceof DomainError ? error : INTERNAL;
  const listed = PROBLEM_CODES[known.code];
  const status = listed?.status ?? STATUS_OF_KIND[known.kind];
  const { help, retryAfterMs } = known.options;
  return {
    type: `/problems/${known.code}`,
    title: listed?.title ?? 'The request was refused',
    status,
    ...(known.message === '' ? {} : { detail: known.message }),
    instance: `urn:quorate:request:${requestId}`,
    code: known.code,
    ...(known.violations.length === 0 ? {} : { errors: [...known.violations] }),
    help: help ?? listed?.help ?? '',
    requestId,
    retryable: listed?.retryable ?? false,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
