/** The providers' door on a database of its own: real TLS, real gRPC, tenants with providers, and agents that joined. */
import {
  credentials,
  makeGenericClientConstructor,
  Metadata,
  status,
  type Client as GrpcClient,
  type ServiceError,
} from '@grpc/grpc-js';
import { randomBytes } from 'node:crypto';
import { Client, Pool } from 'pg';
import { createCertificateRequest } from '../../src/agent/sdk/agent-identity';
import { authenticateAgent } from '../../src/gateways/provider/authenticate-agent';
import { ProviderGateway } from '../../src/gateways/provider/provider-gateway';
import {
  ProviderServiceService,
  type ClaimMachineRequestResponse,
  type Machine,
} from '../../src/generated/proto/quorate/provider/v1/provider';
import { StoredProviderCa } from '../../src/infrastructure/pki/stored-provider-ca';
import { PgProviderWorkSignal } from '../../src/infrastructure/prisma/pg-provider-work-signal';
import { PrismaAuditLog } from '../../src/infrastructure/prisma/prisma-audit-log';
import { AppPrisma, SystemPrisma } from '../../src/infrastructure/prisma/prisma-clients';
import { PrismaMachineRequestRepository } from '../../src/infrastructure/prisma/prisma-machine-request.repository';
import { PrismaOutbox } from '../../src/infrastructure/prisma/prisma-outbox';
import { PrismaProviderAgentRepository } from '../../src/infrastructure/prisma/prisma-provider-agent.repository';
import { PrismaProviderDirectory } from '../../src/infrastructure/prisma/prisma-provider-directory';
import { PrismaProviderMachineRepository } from '../../src/infrastructure/prisma/prisma-provider-machine.repository';
import { PrismaTenantUnitOfWork } from '../../src/infrastructure/prisma/prisma-tenant-unit-of-work';
import { WrappingKey } from '../../src/infrastructure/secrets/envelope';
import { PrismaSecretStore } from '../../src/infrastructure/secrets/prisma-secret-store';
import { hashToken } from '../../src/modules/access/api-token';
import { AgentRegistration } from '../../src/modules/providers/agent-registration';
import { AgentReports } from '../../src/modules/providers/agent-reports';
import { AgentLeaseSettings, AgentWork } from '../../src/modules/providers/agent-work';
import { newId } from '../../src/platform/ids';
import { createTestDatabase } from './database';

export type Rpc = keyof typeof ProviderServiceService;
export const RPCS = Object.keys(ProviderServiceService) as Rpc[];

type Req<K extends Rpc> = Parameters<(typeof ProviderServiceService)[K]['requestSerialize']>[0];
type Res<K extends Rpc> = ReturnType<(typeof ProviderServiceService)[K]['responseDeserialize']>;

const CALL_MS = 20_000;
const GenericClient = makeGenericClientConstructor({}, 'agent');

/** What the server said no with: the name of the status, its code of the taxonomy, and the words. */
export interface Refusal {
  readonly status: string;
  readonly code: string;
  readonly words: string;
}

export class TestAgent {
  constructor(
    private readonly client: GrpcClient,
    readonly agentId: string,
    readonly providerId: string,
  ) {}

  call<K extends Rpc>(rpc: K, request: Req<K>): Promise<Res<K>> {
    const { path, requestSerialize, responseDeserialize } = ProviderServiceService[rpc];
    const options = { deadline: Date.now() + CALL_MS };
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        path,
        requestSerialize as (value: Req<K>) => Buffer,
        responseDeserialize as (value: Buffer) => Res<K>,
        request,
        new Metadata(),
        options,
        (error, response) => (error === null ? resolve(response as Res<K>) : reject(error)),
      );
    });
  }

  /** What the call is refused with; throws when it is not. */
  async refusal<K extends Rpc>(rpc: K, request: Req<K>): Promise<Refusal> {
    try {
      await this.call(rpc, request);
    } catch (error) {
      const { code, details, metadata } = error as ServiceError;
      return { status: status[code], code: String(metadata.get('quorate-code')[0]), words: details };
    }
    throw new Error(`${rpc} was not refused`);
  }

  async offered(waitSeconds = 0): Promise<string[]> {
    const { work } = await this.call('pollMachineRequests', { waitSeconds, maxRequests: 50 });
    return work.map((pending) => pending.requestId);
  }

  claim(requestId: string): Promise<ClaimMachineRequestResponse> {
    return this.call('claimMachineRequest', { requestId });
  }

  async claimToken(requestId: string): Promise<bigint> {
    return (await this.claim(requestId)).lease?.fencingToken ?? 0n;
  }
}

export interface TestProvider {
  readonly id: string;
  readonly tenantId: string;
  readonly joinToken: string;
  readonly clusterId: string;
  readonly requestSetId: string;
  readonly machineSetId: string;
}

export function machine(ref: string, machineId: string, more: Partial<Machine> = {}): Machine {
  const empty = { talosEndpoint: '', kubernetesEndpoint: '', requestId: '' };
  return { machineRef: ref, machineId, addresses: ['10.0.0.7'], ...empty, ...more };
}

/** A server of an operator far from Greenwich: leases must not depend on it. */
async function keepTimeElsewhere(adminUrl: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`ALTER DATABASE ${new URL(adminUrl).pathname.slice(1)} SET timezone TO 'Asia/Tokyo'`);
  await admin.end();
}

export async function createProviderWorld(options: { renewMs?: number } = {}) {
  const database = await createTestDatabase();
  await keepTimeElsewhere(database.adminUrl);
  const admin = new Pool({ connectionString: database.adminUrl, max: 4 });
  const app = new AppPrisma({ url: database.appUrl, poolSize: 6 });
  const system = new SystemPrisma({ url: database.systemUrl, poolSize: 3 });
  const sql = async <T = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await admin.query(text, values)).rows as T[];
  const tenant = async (kind: 'tenant' | 'platform'): Promise<string> => {
    const id = newId();
    await sql(`INSERT INTO tenants (id, name, display_name, kind) VALUES ($1, $2, '', $3)`, [id, id, kind]);
    return id;
  };
  const platformId = await tenant('platform');

  const work = new PrismaTenantUnitOfWork(app);
  const requests = new PrismaMachineRequestRepository();
  const [outbox, audit] = [new PrismaOutbox(), new PrismaAuditLog()];
  const directory = new PrismaProviderDirectory(system);
  const secrets = new PrismaSecretStore(system, new WrappingKey(randomBytes(32)));
  /** The one authority; `now` is when it believes to be signing. */
  const caAt = (now: () => Date): StoredProviderCa => new StoredProviderCa(secrets, now);
  const ca = caAt(() => new Date());
  const signal = new PgProviderWorkSignal(database.appUrl);
  await signal.start();
  const faults: unknown[] = [];
  const gateway = new ProviderGateway({
    host: '127.0.0.1',
    port: 0,
    ...options,
    registration: new AgentRegistration(
      directory,
      ca,
      work,
      new PrismaProviderAgentRepository(),
      audit,
      outbox,
    ),
    agentWork: new AgentWork(work, requests, signal, new AgentLeaseSettings()),
    reports: new AgentReports(work, requests, new PrismaProviderMachineRepository(), outbox, audit),
    caPem: () => ca.caPem(),
    certificate: () => ca.issueServerCertificate(['localhost']),
    authenticate: async (call) => authenticateAgent(call, await ca.caPem(), directory, new Date()),
    onFault: (rpc, error) => faults.push(rpc, error),
  });
  const endpoint = `localhost:${await gateway.start()}`;
  const clients: GrpcClient[] = [];

  return {
    sql,
    ca,
    caAt,
    platformId,
    tenant,
    work,
    requests,
    endpoint,
    /** Errors that were no refusals; tests expect none. */
    faults,

    /** With a client certificate, or as a stranger without one. */
    async connect(key?: { keyPem: string; certificatePem: string }, agentId = '', providerId = '') {
      const root = Buffer.from(await ca.caPem());
      const secure =
        key === undefined
          ? credentials.createSsl(root)
          : credentials.createSsl(root, Buffer.from(key.keyPem), Buffer.from(key.certificatePem));
      const client = new GenericClient(endpoint, secure, { 'grpc.use_local_subchannel_pool': 1 });
      clients.push(client);
      return new TestAgent(client, agentId, providerId);
    },

    /** A provider of the tenant, with a cluster whose one machine set it serves. */
    async provider(tenantId: string, options: { managed?: boolean } = {}): Promise<TestProvider> {
      const ids = { id: newId(), clusterId: newId(), machineSetId: newId(), requestSetId: newId() };
      const joinToken = `qj_${newId()}`;
      await sql(`INSERT INTO providers (id, tenant_id, name) VALUES ($1, $2, $3)`, [
        ids.id,
        tenantId,
        ids.id,
      ]);
      await sql(
        `INSERT INTO provider_join_tokens (id, tenant_id, provider_id, hash) VALUES ($1, $2, $3, $4)`,
        [newId(), tenantId, ids.id, Buffer.from(hashToken(joinToken))],
      );
      await sql(
        `INSERT INTO clusters (id, tenant_id, name, spec, template_text, endpoint_host, managed)
         VALUES ($1, $2, $3, '{}', '', $3, $4)`,
        [ids.clusterId, tenantId, ids.clusterId, options.managed ?? false],
      );
      await sql(
        `INSERT INTO machine_sets (id, tenant_id, cluster_id, name, role, source_kind, source, replicas)
         VALUES ($1, $2, $3, 'workers', 'worker', 'class', '{}', 9)`,
        [ids.machineSetId, tenantId, ids.clusterId],
      );
      await sql(
        `INSERT INTO machine_request_sets (id, tenant_id, cluster_id, machine_set_id, provider_id, name, replicas, shape)
         VALUES ($1, $2, $3, $4, $5, 'workers', 9, '{}')`,
        [ids.requestSetId, tenantId, ids.clusterId, ids.machineSetId, ids.id],
      );
      return { ...ids, tenantId, joinToken };
    },

    async request(provider: TestProvider, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
      const id = newId();
      const row = {
        id,
        tenant_id: provider.tenantId,
        cluster_id: provider.clusterId,
        request_set_id: provider.requestSetId,
        provider_id: provider.id,
        name: `demo-${id.slice(-12)}`,
        spec: { shape: { cpus: 2, memoryBytes: 4096, diskBytes: 8192 }, talosVersion: '1.13.9' },
        ...more,
      };
      const columns = Object.keys(row);
      const places = columns.map((_, i) => `$${i + 1}`);
      await sql(
        `INSERT INTO machine_requests (${columns.join()}) VALUES (${places.join()})`,
        Object.values(row),
      );
      return id;
    },

    async requestRow(id: string) {
      const [row] = await sql(`SELECT * FROM machine_requests WHERE id = $1`, [id]);
      return row;
    },

    machines(provider: TestProvider) {
      return sql<{ id: string; request_id: string | null; cluster_id: string | null; gone_at: Date | null }>(
        `SELECT id, request_id, cluster_id, machine_set_id, talos_endpoint, kubernetes_endpoint, missing_since, gone_at
         FROM machines WHERE provider_id = $1 ORDER BY provider_machine_ref`,
        [provider.id],
      );
    },

    async join({ id, joinToken }: TestProvider, agentName = `agent-${newId()}`): Promise<TestAgent> {
      const stranger = await this.connect();
      const { keyPem, certificateRequestPem } = await createCertificateRequest('ignored');
      const answer = await stranger.call('register', {
        joinToken,
        certificateRequestPem,
        agentName,
        softwareVersion: '1.0.0',
        contractVersions: ['v1'],
      });
      return this.connect({ keyPem, certificatePem: answer.certificatePem }, answer.agentId, id);
    },

    /** What a stopping server does first. */
    closeDoor: () => gateway.stop(),

    /** As if the lease's time had passed. */
    async lapse(requestId: string): Promise<void> {
      await sql(`UPDATE machine_requests SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [
        requestId,
      ]);
    },

    async close(): Promise<void> {
      clients.forEach((client) => client.close());
      await gateway.stop();
      await signal.stop();
      await Promise.all([app.$disconnect(), system.$disconnect(), admin.end()]);
      await database.drop();
    },
  };
}

export type ProviderWorld = Awaited<ReturnType<typeof createProviderWorld>>;
