/**
 * Every code that an answer can carry, with its HTTP status. docs/reference/problems.md is generated from here
 * (`node tools/problems.mjs`), and a test fails for a code that is thrown and not listed.
 */
export interface ProblemCode {
  readonly status: number;
  readonly title: string;
  /** The same request may succeed later without any change to it. */
  readonly retryable?: boolean;
  /** What to do now. */
  readonly help: string;
}

const gone = 'Check the name, and that the token belongs to this tenant.';

export const PROBLEM_CODES: Readonly<Record<string, ProblemCode>> = {
  // the request itself
  BODY_MALFORMED: {
    status: 400,
    title: 'The body is not JSON',
    help: 'Send application/json; the detail says where it breaks.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: 'The body is too large',
    help: 'Keep the body under 2 MiB; move large manifests out of the template.',
  },
  MEDIA_TYPE_UNSUPPORTED: {
    status: 415,
    title: 'The media type is not supported',
    help: 'Send the header Content-Type: application/json.',
  },
  REQUEST_MALFORMED: { status: 400, title: 'The request is malformed', help: 'See the detail.' },
  REQUEST_INVALID: {
    status: 422,
    title: 'The request does not fit its schema',
    help: 'errors[] names each field by JSON pointer; the schema is in /api/v1/openapi.json.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    title: 'There is no such route',
    help: 'The routes are listed in /api/v1/openapi.json.',
  },
  PAGE_TOKEN_INVALID: {
    status: 400,
    title: 'The page token is not usable',
    help: 'Start again without pageToken; a token fits only the list and the filter it came from.',
  },
  IDEMPOTENCY_KEY_INVALID: {
    status: 400,
    title: 'The idempotency key is not usable',
    help: 'Send 1 to 128 printable characters, for instance a UUID.',
  },
  IDEMPOTENCY_MISMATCH: {
    status: 422,
    title: 'The idempotency key was used for another body',
    help: 'Use a new key for a new request.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    title: 'The first request with this idempotency key still runs',
    retryable: true,
    help: 'Repeat the request after the time in Retry-After.',
  },
  VERSION_CONFLICT: {
    status: 412,
    title: 'The object has changed',
    help: 'Read the object again and repeat with its new ETag.',
  },
  INTERNAL: {
    status: 500,
    title: 'Something went wrong on our side',
    retryable: true,
    help: 'Repeat the request; when it stays, tell your operator the requestId.',
  },
  UNAVAILABLE: {
    status: 503,
    title: 'The service is not available',
    retryable: true,
    help: 'Repeat the request a little later.',
  },

  // who asks
  TOKEN_MISSING: {
    status: 401,
    title: 'No token was sent',
    help: 'Send the header Authorization: Bearer <token>.',
  },
  TOKEN_INVALID: {
    status: 401,
    title: 'The token is not valid',
    help: 'It is wrong, expired or revoked: ask an admin of the tenant for a new one.',
  },
  FORBIDDEN: {
    status: 403,
    title: 'The role of this token may not do this',
    help: 'Ask an admin of the tenant for a token with a higher role.',
  },

  // tenancy
  TENANT_NOT_FOUND: { status: 404, title: 'There is no such tenant', help: gone },
  TENANT_NAME_TAKEN: { status: 409, title: 'The name of the tenant is taken', help: 'Choose another name.' },
  TOKEN_NOT_FOUND: { status: 404, title: 'There is no such token', help: gone },
  TOKEN_NAME_TAKEN: {
    status: 409,
    title: 'The name of the token is taken',
    help: 'Choose another name; names of revoked tokens are not used again.',
  },
  TOKEN_ROLE_INVALID: {
    status: 422,
    title: 'The role does not exist in this tenant',
    help: 'Tenants know viewer, operator and admin; the platform tenant knows platform-support and platform-admin.',
  },

  // templates and clusters
  TEMPLATE_INVALID: {
    status: 422,
    title: 'The template is not valid',
    help: 'errors[] names file, line and remedy of each fault; nothing was changed.',
  },
  CHANGE_REFUSED: {
    status: 409,
    title: 'The change is not possible',
    help: 'errors[] names what cannot be changed and why; nothing was changed.',
  },
  MANAGED_CONTROL_PLANES_DISABLED: {
    status: 409,
    title: 'Managed control planes are off in this installation',
    help: 'Use machines of your own under ControlPlane, or ask the operator to turn them on.',
  },
  CLUSTER_NOT_FOUND: { status: 404, title: 'There is no such cluster', help: gone },
  CLUSTER_DELETING: {
    status: 409,
    title: 'The cluster is being deleted',
    retryable: true,
    help: 'Wait until its delete operation has succeeded, then use the name again.',
  },
  CLUSTER_NOT_READY: {
    status: 409,
    title: 'The cluster does not answer yet',
    retryable: true,
    help: 'Wait for its operation: `quorate operation watch`.',
  },

  // machines and providers
  MACHINE_CLASS_NOT_FOUND: { status: 404, title: 'There is no such machine class', help: gone },
  MACHINE_CLASS_NAME_TAKEN: {
    status: 409,
    title: 'The name of the machine class is taken',
    help: 'Choose another name.',
  },
  MACHINE_CLASS_IN_USE: {
    status: 409,
    title: 'The machine class is in use',
    help: 'Remove it from the templates that name it first.',
  },
  PROVIDER_NOT_FOUND: { status: 404, title: 'There is no such provider', help: gone },
  PROVIDER_NAME_TAKEN: {
    status: 409,
    title: 'The name of the provider is taken',
    help: 'Choose another name.',
  },
  PROVIDER_ALIAS_TAKEN: { status: 409, title: 'The alias is taken', help: 'Choose another alias.' },
  TENANT_PROVIDERS_DISABLED: {
    status: 409,
    title: 'Tenants bring no providers here',
    help: 'Use a managed control plane, or ask the operator about TENANT_PROVIDERS.',
  },
  PROVIDER_ALIAS_NOT_ALLOWED: {
    status: 422,
    title: 'Only providers of the platform have an alias',
    help: 'Leave out alias and hidden.',
  },

  // what happened
  OPERATION_NOT_FOUND: { status: 404, title: 'There is no such operation', help: gone },
  RESUME_TOKEN_EXPIRED: {
    status: 410,
    title: 'The changes since this point are no longer kept',
    help: 'List again and watch without Last-Event-ID.',
  },
  RESUME_TOKEN_INVALID: {
    status: 400,
    title: 'The Last-Event-ID is not one of this watch',
    help: 'List again and watch without Last-Event-ID.',
  },
  WATCH_LIMIT: {
    status: 429,
    title: 'Too many open watches for this token',
    retryable: true,
    help: 'Close some; one watch can carry all kinds.',
  },
};

/**
 * Refusals inside the machinery: reconcilers and adapters act on them, logs name them. Their texts may name machines,
 * addresses and secrets' rows, so a caller who meets one is told INTERNAL and no more.
 */
export const INTERNAL_CODES: readonly string[] = [
  'CLUSTER_SECRETS_MISSING',
  'CONFIG_NOT_YAML',
  'DISCOVERY_UNAVAILABLE',
  'JSON_PATCH_UNSUPPORTED',
  'MACHINE_BUSY',
  'MACHINE_REFUSED',
  'MACHINE_UNREACHABLE',
  'PATCH_DELETE_REFUSED',
  'PATCH_NOT_APPLICABLE',
  'PATCH_TYPE_MISMATCH',
  'PLATFORM_TENANT_MISSING',
  'SECRET_DELETED',
  'SECRET_UNREADABLE',
  'STEP_TIMED_OUT',
  'TALOS_VERSION_UNKNOWN',
];

/** Refusals that agents alone meet: gRPC statuses, with these names in the metadata `quorate-code`. */
export const AGENT_CODES: readonly string[] = [
  'AGENT_UNKNOWN',
  'CERTIFICATE_REQUEST_INVALID',
  'CONTRACT_VERSION_UNSUPPORTED',
  'JOIN_TOKEN_INVALID',
  'LEASE_STALE',
  'MACHINE_REQUEST_NOT_FOUND',
  'NOTHING_TO_CLAIM',
  'PATCH_REFUSED',
  'REPORT_MISPLACED',
];
