import { DomainError } from '../../domain/shared/errors';

const LIMIT = 300;

/** One line for logs and the operators' columns: code and message of a refusal, name and message of anything else. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${nameOf(error)}: ${error.message}` : String(error);
  // PostgreSQL takes no NUL in a text, and the text may come from a machine.
  return text.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, LIMIT);
}

const nameOf = (error: Error): string => (error instanceof DomainError ? error.code : error.name);
