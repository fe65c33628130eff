/** What the exit code tells a script. Documented in `quorate --help`; a code never changes its meaning. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  notFound: 4,
  conflict: 5,
  limited: 6,
  timedOut: 7,
  operationFailed: 8,
  unreachable: 9,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code for an HTTP status of the API. */
export function exitCodeOfStatus(status: number): ExitCode {
  switch (status) {
    case 401:
    case 403:
      return EXIT.denied;
    case 404:
      return EXIT.notFound;
    case 409:
    case 410:
    case 412:
      return EXIT.conflict;
    case 429:
      return EXIT.limited;
    case 502:
    case 503:
    case 504:
      return EXIT.unreachable;
    default:
      return EXIT.failed;
  }
}
