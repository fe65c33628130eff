import { DomainError } from '../../domain/shared/errors';

const LIMIT = 300;

/** One line for logs and the operators' columns: code and message of a refusal, name and message of anything else. */
export function reasonOf(error: unknown): string {
  if (error instanceof DomainError) {
    return `${error.code}: ${error.message}`.slice(0, LIMIT);
  }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.replace(/\s+/g, ' ').slice(0, LIMIT);
}
