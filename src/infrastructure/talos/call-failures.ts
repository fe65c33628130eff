import { status, type ServiceError } from '@grpc/grpc-js';
import { DomainError } from '../../domain/shared/errors';

export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && typeof (error as Partial<ServiceError>).code === 'number';
}

/** Nobody answered, as opposed to an answer that says no. */
export function isTransportFailure(error: unknown): boolean {
  return (
    isServiceError(error) &&
    [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED].includes(error.code)
  );
}

/** Talos's own words, which never carry keys. */
export const wordsOf = (error: unknown): string => (isServiceError(error) ? error.details : String(error));

/** What a failed command means to its caller. */
export function commandFailure(error: unknown): DomainError {
  const busy =
    isServiceError(error) &&
    [status.FAILED_PRECONDITION, status.ABORTED, status.RESOURCE_EXHAUSTED].includes(error.code);
  if (busy || isTransportFailure(error)) {
    const message = `the machine does not ${busy ? 'take' : 'answer'} the call: ${wordsOf(error)}`;
    return new DomainError('unavailable', busy ? 'MACHINE_BUSY' : 'MACHINE_UNREACHABLE', message, {
      cause: error,
    });
  }
  return new DomainError('refused', 'MACHINE_REFUSED', `the machine refuses the call: ${wordsOf(error)}`, {
    cause: error,
  });
}
