/** A call that the machine refuses, with its gRPC status and Talos's own words. */
import { status } from '@grpc/grpc-js';

export class TalosError extends Error {
  constructor(
    readonly code: status,
    message: string,
  ) {
    super(message);
  }
}

export function failedPrecondition(message: string): TalosError {
  return new TalosError(status.FAILED_PRECONDITION, message);
}

export function invalidArgument(message: string): TalosError {
  return new TalosError(status.INVALID_ARGUMENT, message);
}

export function unimplemented(message: string): TalosError {
  return new TalosError(status.UNIMPLEMENTED, message);
}

export function unavailable(message: string): TalosError {
  return new TalosError(status.UNAVAILABLE, message);
}
