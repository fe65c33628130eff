/** Refusals of the Kubernetes API in its own words: `kind: Status`, with the reasons that clients match on. */
import type { JsonObject } from './kube-object';

const CODES = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;
export type StatusReason = keyof typeof CODES;

export class StatusError extends Error {
  constructor(
    readonly reason: StatusReason,
    message: string,
    readonly details: JsonObject = {},
  ) {
    super(message);
    this.name = 'StatusError';
  }

  get code(): number {
    return CODES[this.reason];
  }

  body(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      details: this.details,
      code: this.code,
    };
  }
}

export interface ResourceName {
  readonly group: string;
  readonly plural: string;
}

const qualified = (resource: ResourceName): string =>
  resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;

const detailsOf = (resource: ResourceName, name: string): JsonObject => ({
  name,
  ...(resource.group === '' ? {} : { group: resource.group }),
  kind: resource.plural,
});

export function notFound(resource: ResourceName, name: string): StatusError {
  return new StatusError('NotFound', `${qualified(resource)} "${name}" not found`, detailsOf(resource, name));
}

export function alreadyExists(resource: ResourceName, name: string): StatusError {
  const message = `${qualified(resource)} "${name}" already exists`;
  return new StatusError('AlreadyExists', message, detailsOf(resource, name));
}

export function conflict(resource: ResourceName, name: string): StatusError {
  const why = 'the object has been modified; please apply your changes to the latest version and try again';
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`;
  return new StatusError('Conflict', message, detailsOf(resource, name));
}

export function invalid(kind: string, name: string, field: string, why: string): StatusError {
  const message = `${kind} "${name}" is invalid: ${field}: ${why}`;
  const causes = [{ reason: 'FieldValueInvalid', message: why, field }];
  return new StatusError('Invalid', message, { name, kind, causes });
}
