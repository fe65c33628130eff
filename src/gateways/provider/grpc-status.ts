/** The taxonomy of refusals as gRPC statuses: one table, exhaustive. */
import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { DomainError, type ErrorKind } from '../../domain/shared/errors';

const STATUS: Readonly<Record<ErrorKind, status>> = {
  invalid: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  'not-found': status.NOT_FOUND,
  'already-exists': status.ALREADY_EXISTS,
  stale: status.ABORTED,
  refused: status.FAILED_PRECONDITION,
  limited: status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
};

/** The words travel percent-encoded in a header, and clients take headers of 8 KiB. */
const MAX_FAULTS = 8;
const MAX_FAULT_LENGTH = 250;

/** What is not a refusal of ours is told without detail. */
export function toServiceError(error: unknown): ServiceError {
  const [code, details] =
    error instanceof DomainError
      ? [STATUS[error.kind], describe(error)]
      : [status.INTERNAL, 'internal error'];
  const metadata = new Metadata();
  if (error instanceof DomainError) {
    metadata.set('quorate-code', error.code);
  }
  return Object.assign(new Error(details), { name: 'ServiceError', code, details, metadata });
}

function describe({ message, violations }: DomainError): string {
  const faults = violations
    .slice(0, MAX_FAULTS)
    .map(({ path, reason, remedy }) => `${path}: ${reason} ${remedy}`.slice(0, MAX_FAULT_LENGTH));
  const more = violations.length - faults.length;
  return [message, ...faults, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
