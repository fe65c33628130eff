/** Does what one claimed request asks for, and reports how it went. */
import { status } from '@grpc/grpc-js';
import {
  Action,
  FailureCode,
  ProviderServiceService,
  type Machine,
  type MachineRequest,
} from '../../generated/proto/quorate/provider/v1/provider';
import type { AgentLog } from './agent-log';
import type { AgentSession } from './agent-session';
import type { HeldLease } from './held-lease';
import {
  ProviderError,
  type InfraProvider,
  type InventoryMachine,
  type ProviderErrorCode,
  type Work,
  type WorkRequest,
} from './infra-provider';
import { statusOf, wordsOf, type Method } from './provider-connection';
import { throwIfAborted, unlessAborted } from './wait';

const REPORT_CALL_MS = 10_000;
const INVALID: number = status.INVALID_ARGUMENT;

const FAILURE_CODES: Readonly<Record<ProviderErrorCode, FailureCode>> = {
  QUOTA_EXCEEDED: FailureCode.FAILURE_CODE_QUOTA_EXCEEDED,
  RATE_LIMITED: FailureCode.FAILURE_CODE_RATE_LIMITED,
  CAPACITY_DEPLETED: FailureCode.FAILURE_CODE_CAPACITY_DEPLETED,
  INVALID_CONFIG: FailureCode.FAILURE_CODE_INVALID_CONFIG,
  DEPENDENCY: FailureCode.FAILURE_CODE_DEPENDENCY,
  IMAGE_UNAVAILABLE: FailureCode.FAILURE_CODE_IMAGE_UNAVAILABLE,
  INTERNAL: FailureCode.FAILURE_CODE_INTERNAL,
};

/** Apart from errors of the provider, which may well speak gRPC to its infrastructure. */
class ReportRefusedError extends Error {
  override readonly name = 'ReportRefusedError';

  constructor(
    readonly isAboutContent: boolean,
    message: string,
  ) {
    super(message);
  }
}

export interface WorkContext {
  readonly provider: InfraProvider;
  readonly session: AgentSession;
  readonly lease: HeldLease;
  readonly log: AgentLog;
  /** The agent stops: leave everything as it is, the next holder adopts it. */
  readonly stop: AbortSignal;
}

/** Never rejects. A lost lease ends it without a word to the server. */
export async function runWork(context: WorkContext, request: MachineRequest): Promise<void> {
  const { lease, log, stop } = context;
  const signal = AbortSignal.any([lease.signal, stop]);
  try {
    await perform(context, request, signal);
  } catch (error) {
    if (signal.aborted) {
      log.info('gave the work up', { reason: stop.aborted ? 'the agent stops' : 'the lease is lost' });
      return;
    }
    await fail(context, error);
  } finally {
    lease.release();
  }
}

async function perform(context: WorkContext, request: MachineRequest, signal: AbortSignal): Promise<void> {
  const { provider, lease, log } = context;
  const { requestId, fencingToken } = lease;
  const work = workOf(context, request, signal);
  switch (request.action) {
    case Action.ACTION_PROVISION: {
      // A provider that does not look at the signal must not hold the agent up.
      const { patches = [], ...machine } = await unlessAborted(provider.provision(work), signal);
      const report = {
        requestId,
        fencingToken,
        machine: toMachine({ ...machine, requestId }),
        patches: [...patches],
      };
      throwIfAborted(signal);
      await send(context, ProviderServiceService.reportProvisioned, report);
      log.info('provisioned', { machineRef: machine.machineRef });
      return;
    }
    case Action.ACTION_DEPROVISION:
      await unlessAborted(provider.deprovision(work), signal);
      throwIfAborted(signal);
      await send(context, ProviderServiceService.reportDeprovisioned, { requestId, fencingToken });
      log.info('deprovisioned');
      return;
    case Action.ACTION_UNSPECIFIED:
    case Action.UNRECOGNIZED:
      throw new ProviderError('INTERNAL', 'the agent does not know this action; update it');
  }
}

function workOf(context: WorkContext, request: MachineRequest, signal: AbortSignal): Work {
  const { lease, log } = context;
  const { requestId, fencingToken } = lease;
  return {
    request: toWorkRequest(request),
    signal,
    progress: async (step, stepIndex, stepCount, message, machineRef = '') => {
      throwIfAborted(signal);
      const report = { requestId, fencingToken, step, stepIndex, stepCount, message, machineRef };
      try {
        await send(context, ProviderServiceService.reportProgress, report);
      } catch (error) {
        if (!(error instanceof ReportRefusedError && error.isAboutContent)) {
          throw error;
        }
        // Progress is for people: a text that the server does not take must not cost the machine.
        log.warn('the server does not take this progress', { step, reason: wordsOf(error) });
      }
    },
  };
}

async function send<Req, Res>(
  { lease, session }: WorkContext,
  method: Method<Req, Res>,
  request: Req,
): Promise<void> {
  try {
    await lease.report((signal) => session.call(method, request, { timeoutMs: REPORT_CALL_MS, signal }));
  } catch (error) {
    if (isRefusedLease(error)) {
      lease.lose('a report was refused');
    }
    const code = statusOf(error);
    throw code === undefined ? error : new ReportRefusedError(code === INVALID, wordsOf(error));
  }
}

async function fail(context: WorkContext, error: unknown): Promise<void> {
  const { lease, log } = context;
  const { requestId, fencingToken } = lease;
  const failure = toProviderError(error);
  const { message, retryable, retryAfterSeconds } = failure;
  const reason = error instanceof Error ? error.message : String(error);
  log.warn('the attempt failed', { code: failure.code, retryable, reason });
  const report = {
    requestId,
    fencingToken,
    code: FAILURE_CODES[failure.code],
    message,
    retryable,
    retryAfterSeconds,
  };
  try {
    await send(context, ProviderServiceService.reportFailure, report);
  } catch (refusal) {
    if (lease.isHeld) {
      log.warn('the failure could not be reported', { reason: wordsOf(refusal) });
    }
  }
}

/** What an unforeseen error says may be anything, so its words stay in the agent's own log. */
function toProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) {
    return error;
  }
  if (error instanceof ReportRefusedError) {
    return new ProviderError(
      'INTERNAL',
      'the server refused the report of this machine; see the log of the agent',
    );
  }
  return new ProviderError('INTERNAL', 'the provider failed unexpectedly; see the log of the agent');
}

function isRefusedLease(error: unknown): boolean {
  const code = statusOf(error);
  return code === status.FAILED_PRECONDITION || code === status.NOT_FOUND;
}

function toWorkRequest(request: MachineRequest): WorkRequest {
  const { requestId, name, shape, talosVersion, schematicId, machineRef, attempt } = request;
  return {
    id: requestId,
    name,
    shape: {
      cpus: shape?.cpus ?? 0,
      memoryBytes: Number(shape?.memoryBytes ?? 0),
      diskBytes: Number(shape?.diskBytes ?? 0),
    },
    talosVersion,
    schematicId,
    ...(machineRef === '' ? {} : { machineRef }),
    attempt,
  };
}

export function toMachine(machine: InventoryMachine): Machine {
  const { machineRef, machineId, addresses, talosEndpoint, kubernetesEndpoint, requestId } = machine;
  return {
    machineRef,
    machineId,
    addresses: [...addresses],
    talosEndpoint: talosEndpoint ?? '',
    kubernetesEndpoint: kubernetesEndpoint ?? '',
    requestId: requestId ?? '',
  };
}
