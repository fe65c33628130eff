/** A machine's Talos API in this process, for specs: real TLS, real gRPC, answers as told. */
import { Server, ServerCredentials, status, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import type { CertificateAndKey } from '../../domain/machine-config/secrets-bundle';
import { StateService } from '../../generated/proto/talos/cosi/state';
import { MachineServiceService } from '../../generated/proto/talos/machine/machine';
import { CertificateAuthority } from '../pki/certificate-authority';
import { toStandardLabel } from '../pki/pem-labels';

const HOUR = 3_600_000;

/** A gRPC status instead of an answer. */
export class Refusal {
  constructor(
    readonly code: status,
    readonly details: string,
  ) {}
}

export interface FakeTalos {
  /** host:port */
  readonly endpoint: string;
  readonly port: number;
  /** Requests by method name. */
  readonly received: { method: string; request: unknown; organization: unknown }[];
  close(): void;
}

export interface FakeTalosOptions {
  /** Absent: maintenance mode, which asks for no certificate and shows one that nobody can verify. */
  readonly osCa?: CertificateAndKey;
  readonly port?: number;
  readonly address?: string;
  /** By method name (`version`, `bootstrap`), and by resource type for the state service. Absent: UNIMPLEMENTED. */
  readonly answers: Readonly<Record<string, unknown>>;
}

export async function startFakeTalos({
  osCa,
  port = 0,
  address = '127.0.0.1',
  answers,
}: FakeTalosOptions): Promise<FakeTalos> {
  const received: FakeTalos['received'] = [];
  const server = new Server();
  const answer =
    (method: string, key: string) =>
    (call: ServerUnaryCall<unknown, unknown>, done: sendUnaryData<unknown>) => {
      const organization = call.getAuthContext().sslPeerCertificate?.subject.O;
      received.push({ method, request: call.request, organization });
      const given =
        answers[key] ?? new Refusal(status.UNIMPLEMENTED, 'API is not implemented in maintenance mode');
      if (given instanceof Refusal) {
        done({ code: given.code, details: given.details });
      } else {
        done(null, given);
      }
    };
  const methods = Object.keys(MachineServiceService).filter(
    (m) => !['etcdSnapshot', 'etcdRecover'].includes(m),
  );
  server.addService(MachineServiceService, Object.fromEntries(methods.map((m) => [m, answer(m, m)])));
  server.addService(StateService, {
    get: (call: ServerUnaryCall<{ type: string }, unknown>, done: sendUnaryData<unknown>) =>
      answer('get', call.request.type)(call, done),
    list: (call: { request: { type: string }; write(m: unknown): void; end(): void }) => {
      const found = answers[call.request.type];
      if (found !== undefined) {
        call.write(found);
      }
      call.end();
    },
  });
  const bound = await bind(server, `127.0.0.1:${port}`, await credentials(osCa, address));
  return { endpoint: `127.0.0.1:${bound}`, port: bound, received, close: () => server.forceShutdown() };
}

/** What the state service answers for a resource whose spec is this YAML. */
export const resourceOf = (yamlSpec: string): unknown => ({
  resource: { metadata: undefined, spec: { protoSpec: Buffer.alloc(0), yamlSpec } },
});

async function credentials(osCa: CertificateAndKey | undefined, address: string): Promise<ServerCredentials> {
  const now = new Date();
  const issuer = osCa ?? (await CertificateAuthority.create({ kind: 'ed25519', organization: 'talos', now }));
  const ca = await CertificateAuthority.load(issuer);
  const leaf = await ca.issue({
    commonName: 'node',
    ipAddresses: [address],
    usage: 'server',
    now,
    ttlMs: HOUR,
  });
  const pair = { cert_chain: Buffer.from(leaf.crt), private_key: Buffer.from(toStandardLabel(leaf.key)) };
  return ServerCredentials.createSsl(
    osCa === undefined ? null : Buffer.from(osCa.crt),
    [pair],
    osCa !== undefined,
  );
}

const bind = (server: Server, at: string, withCredentials: ServerCredentials): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(at, withCredentials, (error, port) => (error === null ? resolve(port) : reject(error)));
  });
