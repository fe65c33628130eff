import type { z } from 'zod';
import { DomainError, type Violation } from '../../domain/shared/errors';

type PartName = 'params' | 'query' | 'body';
type Issue = z.core.$ZodIssue;

/** JSON pointer (RFC 6901). */
const pointer = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function violations(issue: Issue, part: PartName): Violation[] {
  const prefix = part === 'body' ? '' : `/${part}`;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: prefix + pointer([...issue.path, key]),
      code: 'FIELD_UNKNOWN',
      reason: `${JSON.stringify(key)} is not a known field`,
      remedy: 'Remove it; the known fields are in /api/v1/openapi.json.',
    }));
  }
  return [
    {
      path: prefix + pointer(issue.path),
      code: 'FIELD_INVALID',
      reason: issue.message,
      remedy: 'Send what the schema in /api/v1/openapi.json asks for.',
    },
  ];
}

export function parsePart(part: PartName, schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    return parsed.data;
  }
  throw new DomainError(
    'invalid',
    'REQUEST_INVALID',
    `the ${part === 'params' ? 'path' : part} is not valid`,
    {
      violations: parsed.error.issues.flatMap((issue) => violations(issue, part)),
    },
  );
}
