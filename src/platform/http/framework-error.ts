/** Turns what Fastify and Nest throw before a controller runs into the one taxonomy. */
import { HttpException } from '@nestjs/common';
import { DomainError } from '../../domain/shared/errors';

const OF_FASTIFY: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'MEDIA_TYPE_UNSUPPORTED',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'BODY_MALFORMED',
  FST_ERR_CTP_INVALID_JSON_BODY: 'BODY_MALFORMED',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'REQUEST_MALFORMED',
};

/** Nest wraps some of them and keeps the status alone. */
const OF_STATUS: Readonly<Record<number, string>> = {
  404: 'ROUTE_NOT_FOUND',
  413: 'BODY_TOO_LARGE',
  415: 'MEDIA_TYPE_UNSUPPORTED',
};

export function fromFramework(error: unknown): unknown {
  if (error instanceof DomainError || !(error instanceof Error)) {
    return error;
  }
  const code = 'code' in error && typeof error.code === 'string' ? OF_FASTIFY[error.code] : undefined;
  if (code !== undefined) {
    return new DomainError('invalid', code, '');
  }
  const status = error instanceof HttpException ? error.getStatus() : statusCodeOf(error);
  const known = status === undefined ? undefined : OF_STATUS[status];
  if (known !== undefined) {
    return new DomainError('invalid', known, '');
  }
  if (status !== undefined && status >= 400 && status < 500) {
    // JSON.parse's own message quotes the caller's text back to the caller and nobody else.
    const malformed = error instanceof SyntaxError || /JSON/.test(error.message);
    return new DomainError('invalid', malformed ? 'BODY_MALFORMED' : 'REQUEST_MALFORMED', error.message);
  }
  return error;
}

function statusCodeOf(error: Error): number | undefined {
  return 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;
}
