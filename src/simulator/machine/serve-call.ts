/** Around every call: faults, authorization, and errors as gRPC statuses. */
import { status, type sendUnaryData, type ServerUnaryCall, type ServerWritableStream } from '@grpc/grpc-js';
import { EtcdMembershipError } from '../etcd/etcd-engine';
import { EtcdUnavailableError } from '../etcd/etcd-store';
import { authorizeCall, callerOf, type Caller } from './authorize-call';
import type { SimulatedMachine } from './simulated-machine';
import { TalosError } from './talos-error';

const DEFAULT_DELAY_MS = 3_000;

type Call = Pick<ServerUnaryCall<unknown, unknown>, 'metadata' | 'getAuthContext'>;

/** Resolves with who calls; never when the machine hangs. */
async function admit(machine: SimulatedMachine, method: string, call: Call): Promise<Caller> {
  const { fault } = machine;
  if (fault.kind === 'hang') {
    await new Promise(() => undefined);
  }
  if (fault.kind === 'slow') {
    await new Promise((resolve) => setTimeout(resolve, fault.delayMs ?? DEFAULT_DELAY_MS));
  }
  const caller: Caller =
    machine.config === undefined
      ? { kind: 'maintenance' }
      : callerOf(call.getAuthContext().sslPeerCertificate, call.metadata);
  authorizeCall(caller, method, machine.talosMinor);
  return caller;
}

export function unary<Request, Response>(
  machine: SimulatedMachine,
  method: string,
  answer: (request: Request, caller: Caller) => Promise<Response> | Response,
): (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>) => void {
  return (call, callback) => {
    admit(machine, method, call)
      .then((caller) => answer(call.request, caller))
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(asStatus(error)),
      );
  };
}

export function serverStream<Request, Response>(
  machine: SimulatedMachine,
  method: string,
  answer: (request: Request, caller: Caller) => Promise<readonly Response[]>,
): (call: ServerWritableStream<Request, Response>) => void {
  return (call) => {
    admit(machine, method, call)
      .then((caller) => answer(call.request, caller))
      .then(
        (responses) => {
          for (const response of responses) {
            call.write(response);
          }
          call.end();
        },
        (error: unknown) => call.emit('error', asStatus(error)),
      );
  };
}

function asStatus(error: unknown): { code: status; details: string } {
  if (error instanceof TalosError) {
    return { code: error.code, details: error.message };
  }
  if (error instanceof EtcdUnavailableError) {
    return { code: status.UNAVAILABLE, details: error.message };
  }
  if (error instanceof EtcdMembershipError) {
    const codes: Partial<Record<EtcdMembershipError['problem'], status>> = {
      'not-found': status.NOT_FOUND,
      unavailable: status.UNAVAILABLE,
    };
    return { code: codes[error.problem] ?? status.FAILED_PRECONDITION, details: error.message };
  }
  return { code: status.INTERNAL, details: error instanceof Error ? error.message : String(error) };
}
