/** The provider contract v1 as calls of the module: reads fields, asks, writes fields. No rule lives here. */
import type { handleUnaryCall, sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import {
  Action,
  FailureCode,
  type ClaimMachineRequestResponse,
  type Lease,
  type ProviderServiceServer,
} from '../../generated/proto/quorate/provider/v1/provider';
import type { RequestAction } from '../../domain/provider/choose-action';
import { newId } from '../../platform/ids';
import type { AgentRegistration } from '../../modules/providers/agent-registration';
import type { AgentReports, Held } from '../../modules/providers/agent-reports';
import type { AgentWork } from '../../modules/providers/agent-work';
import type { ClaimedRequest } from '../../modules/providers/machine-request.repository';
import type { AgentCall, ProviderAgent } from '../../modules/providers/provider-agent';
import { toServiceError } from './grpc-status';
import {
  readAtMost,
  readFencingToken,
  readGivenLines,
  readGivenText,
  readInventory,
  readMachine,
  readName,
  readPatches,
  readText,
  readUuid,
  readWords,
} from './read-fields';

const MAX_WAIT_SECONDS = 50;
const MAX_WORK = 100;
const NEXT_HEARTBEAT_SECONDS = 10;
const MAX_PEM = 16_384;
const MAX_WORDS = 1_000;
const MAX_VERSIONS = 20;

export interface ProviderServiceParts {
  readonly registration: AgentRegistration;
  readonly agentWork: AgentWork;
  readonly reports: AgentReports;
  readonly caPem: () => Promise<string>;
  /** Aborted when the door closes: polls answer at once, so that agents ask the next server. */
  readonly closing: AbortSignal;
  readonly authenticate: (call: ServerUnaryCall<never, unknown>) => Promise<ProviderAgent>;
  /** Hears of errors that are no refusals. */
  readonly onFault: (rpc: string, error: unknown) => void;
}

const ACTIONS: Readonly<Record<RequestAction, Action>> = {
  provision: Action.ACTION_PROVISION,
  deprovision: Action.ACTION_DEPROVISION,
};

export function createProviderService(parts: ProviderServiceParts): ProviderServiceServer {
  const { registration, agentWork, reports, caPem, closing } = parts;

  const answer =
    <Q, R>(
      rpc: string,
      work: (request: Q, call: ServerUnaryCall<Q, R>) => Promise<R>,
    ): handleUnaryCall<Q, R> =>
    (call: ServerUnaryCall<Q, R>, done: sendUnaryData<R>) => {
      work(call.request, call).then(
        (response) => done(null, response),
        (error: unknown) => {
          const failure = toServiceError(error);
          if (failure.details === 'internal error') {
            parts.onFault(rpc, error);
          }
          done(failure);
        },
      );
    };

  const known = <Q, R>(
    rpc: string,
    work: (request: Q, agent: AgentCall, call: ServerUnaryCall<Q, R>) => Promise<R>,
  ): handleUnaryCall<Q, R> =>
    answer(rpc, async (request, call) => {
      const agent = await parts.authenticate(call as unknown as ServerUnaryCall<never, unknown>);
      return work(request, { agent, callId: newId() }, call);
    });

  return {
    register: answer('Register', async (q) => {
      const registered = await registration.register({
        joinToken: readGivenText('join_token', q.joinToken, 200),
        certificateRequestPem: readGivenLines('certificate_request_pem', q.certificateRequestPem, MAX_PEM),
        agentName: readName('agent_name', q.agentName),
        softwareVersion: readText('software_version', q.softwareVersion, 100),
        contractVersions: readAtMost('contract_versions', q.contractVersions, MAX_VERSIONS),
        callId: newId(),
      });
      return { ...registered, caPem: await caPem() };
    }),
    renewCertificate: known('RenewCertificate', async (q, agent) => {
      const pem = readGivenLines('certificate_request_pem', q.certificateRequestPem, MAX_PEM);
      return { ...(await registration.renewCertificate(agent, pem)), caPem: await caPem() };
    }),
    heartbeat: known('Heartbeat', async (q, agent) => {
      await registration.heartbeat(agent, readText('software_version', q.softwareVersion, 100));
      return { serverTime: new Date(), nextHeartbeatSeconds: NEXT_HEARTBEAT_SECONDS };
    }),
    pollMachineRequests: known('PollMachineRequests', async (q, agent, call) => {
      const limit = Math.min(Math.max(q.maxRequests, 1), MAX_WORK);
      const waitMs = Math.min(q.waitSeconds, MAX_WAIT_SECONDS) * 1000;
      const over = new AbortController();
      const end = (): void => over.abort();
      call.on('cancelled', end);
      // Not AbortSignal.any: what a signal for the life of the process is asked to remember, it never forgets.
      closing.addEventListener('abort', end);
      if (call.cancelled || closing.aborted) {
        end();
      }
      const found = await agentWork
        .poll(agent, limit, waitMs, over.signal)
        .finally(() => closing.removeEventListener('abort', end));
      return { work: found.map(({ requestId, action }) => ({ requestId, action: ACTIONS[action] })) };
    }),
    claimMachineRequest: known('ClaimMachineRequest', async (q, agent) =>
      describeClaim(
        await agentWork.claim(agent, readUuid('request_id', q.requestId)),
        agentWork.leaseSeconds,
      ),
    ),
    renewLease: known('RenewLease', async (q, agent) => {
      const { requestId, fencingToken } = heldOf(q);
      const expiresAt = await agentWork.renewLease(agent, requestId, fencingToken);
      return { lease: describeLease(fencingToken, expiresAt, agentWork.leaseSeconds) };
    }),
    reportProgress: known('ReportProgress', async (q, agent) => {
      const step = {
        name: readText('step', q.step, 100),
        index: q.stepIndex,
        count: q.stepCount,
        message: readWords(q.message, MAX_WORDS),
      };
      await reports.progress(
        agent,
        heldOf(q),
        step,
        q.machineRef === '' ? null : readText('machine_ref', q.machineRef, 200),
      );
      return {};
    }),
    reportProvisioned: known('ReportProvisioned', async (q, agent) => {
      await reports.provisioned(agent, heldOf(q), readMachine('machine', q.machine), readPatches(q.patches));
      return {};
    }),
    reportFailure: known('ReportFailure', async (q, agent) => {
      const code = failureName(q.code);
      const { retryable, retryAfterSeconds } = q;
      await reports.failure(agent, heldOf(q), {
        code: code.replace('FAILURE_CODE_', ''),
        message: readWords(q.message, MAX_WORDS),
        retryable,
        retryAfterSeconds,
      });
      return {};
    }),
    reportDeprovisioned: known('ReportDeprovisioned', async (q, agent) => {
      await reports.deprovisioned(agent, heldOf(q));
      return {};
    }),
    reportInventory: known('ReportInventory', async (q, agent) => {
      await reports.inventory(agent, readInventory(q.machines));
      return {};
    }),
  };
}

const heldOf = (q: { requestId: string; fencingToken: bigint }): Held => ({
  requestId: readUuid('request_id', q.requestId),
  fencingToken: readFencingToken('fencing_token', q.fencingToken),
});

function describeLease(fencingToken: bigint, expiresAt: Date, leaseSeconds: number): Lease {
  return { fencingToken, expiresAt, durationSeconds: Math.max(1, leaseSeconds) };
}

function describeClaim(claimed: ClaimedRequest, leaseSeconds: number): ClaimMachineRequestResponse {
  const { requestId, name, action, shape, talosVersion, schematicId, machineRef, attempt } = claimed;
  return {
    lease: describeLease(claimed.fencingToken, claimed.leaseExpiresAt, leaseSeconds),
    request: {
      requestId,
      name,
      action: ACTIONS[action],
      shape: { cpus: shape.cpus, memoryBytes: BigInt(shape.memoryBytes), diskBytes: BigInt(shape.diskBytes) },
      talosVersion,
      schematicId,
      machineRef: machineRef ?? '',
      attempt,
    },
  };
}

/** An agent newer than this server may send a code that it does not know. */
const failureName = (code: number): string => FailureCode[code] ?? 'FAILURE_CODE_UNSPECIFIED';
