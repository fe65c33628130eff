import type { DomainError } from '../../domain/shared/errors';
import { violatedConstraint } from './prisma-errors';

/** Runs a write; a violated unique constraint becomes the refusal that belongs to it. */
export async function translateUnique<T>(
  write: Promise<T>,
  refusals: Readonly<Record<string, () => DomainError>>,
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const refusal = refusals[violatedConstraint(error) ?? ''];
    throw refusal === undefined ? error : refusal();
  }
}
