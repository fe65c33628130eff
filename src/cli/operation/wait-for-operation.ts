/** Follows an operation to its end. A server that restarts meanwhile is waited for; Ctrl-C only stops the watching. */
import type { ApiClient } from '../api/api-client';
import { FINAL_STATES, type Operation } from '../api/api-types';
import { ApiError } from '../api/read-problem';
import { CliError } from '../cli-error';
import { EXIT } from '../exit-codes';
import { duration } from '../output/relative-age';
import type { Terminal } from '../terminal/terminal';
import { OperationLadder } from './operation-ladder';

const POLL_MS = 1000;
const CALL_TIMEOUT_MS = 10_000;

export interface WaitOptions {
  readonly timeoutMs: number;
}

const isFinal = (operation: Operation): boolean => FINAL_STATES.some((state) => state === operation.state);
const resume = (operation: Pick<Operation, 'id'>): string => `quorate operation watch ${operation.id}`;

/** What a restart or an overload looks like from here; everything else is an answer. */
const mayPass = (error: unknown): error is CliError =>
  error instanceof CliError &&
  (error.exitCode === EXIT.unreachable ||
    error.exitCode === EXIT.limited ||
    (error instanceof ApiError && error.status >= 500));

async function follow(
  api: ApiClient,
  terminal: Terminal,
  first: Operation,
  deadline: number,
  stop: AbortSignal,
): Promise<Operation> {
  const ladder = new OperationLadder(terminal);
  const detached = (): boolean => stop.aborted;
  let operation = first;
  ladder.show(operation);
  while (!isFinal(operation) && !detached() && terminal.now() < deadline) {
    await terminal.pause(Math.min(POLL_MS, deadline - terminal.now()), stop);
    if (detached()) {
      break;
    }
    try {
      operation = await api.get<Operation>(api.inTenant(`operations/${encodeURIComponent(first.id)}`), {
        timeoutMs: CALL_TIMEOUT_MS,
        signal: stop,
      });
      ladder.forgetNote();
      ladder.show(operation);
    } catch (error) {
      if (detached()) {
        break; // the call was cut off by Ctrl-C
      }
      if (!mayPass(error)) {
        throw error;
      }
      ladder.note(`${error.message}; trying again until the timeout`);
    }
  }
  return operation;
}

function judged(operation: Operation): Operation {
  if (operation.state === 'Succeeded') {
    return operation;
  }
  const what = `${operation.kind} ${operation.cluster ?? ''}`.trim();
  if (operation.state === 'Superseded') {
    const next =
      operation.cluster === null
        ? 'quorate operation list'
        : `quorate operation list --cluster ${operation.cluster}`;
    throw new CliError(`${what} was superseded by a newer operation`, {
      exitCode: EXIT.operationFailed,
      next,
    });
  }
  const { error, cluster } = operation;
  throw new CliError(`${what} failed${error === null ? '' : ` [${error.code}]`}`, {
    exitCode: EXIT.operationFailed,
    why: [error?.message ?? operation.message].filter((line) => line !== ''),
    next: cluster === null ? resume(operation) : `quorate cluster explain ${cluster}`,
  });
}

/** Answers the succeeded operation; throws with the documented exit code otherwise. */
export async function waitForOperation(
  api: ApiClient,
  terminal: Terminal,
  first: Operation,
  { timeoutMs }: WaitOptions,
): Promise<Operation> {
  const interrupted = new AbortController();
  const stopListening = terminal.onInterrupt(() => interrupted.abort());
  try {
    const operation = await follow(api, terminal, first, terminal.now() + timeoutMs, interrupted.signal);
    if (isFinal(operation)) {
      return judged(operation);
    }
    if (interrupted.signal.aborted) {
      throw new CliError('detached; the operation goes on', {
        exitCode: EXIT.interrupted,
        next: resume(first),
      });
    }
    const why = [
      `it is still ${operation.state.toLowerCase()}${operation.message === '' ? '' : `: ${operation.message}`}`,
    ];
    throw new CliError(`the operation did not end within ${duration(timeoutMs)}`, {
      exitCode: EXIT.timedOut,
      why,
      next: resume(first),
    });
  } finally {
    stopListening();
  }
}
