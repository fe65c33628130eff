/** Every call of the provider contract: without a certificate, with a rogue one, and as another provider's agent. */
import { createCertificateRequest } from '../../src/agent/sdk/agent-identity';
import { CertificateAuthority } from '../../src/infrastructure/pki/certificate-authority';
import { agentUri } from '../../src/modules/providers/provider-ca';
import { newId } from '../../src/platform/ids';
import {
  createProviderWorld,
  machine,
  RPCS,
  type ProviderWorld,
  type Rpc,
  type TestAgent,
  type TestProvider,
} from '../support/provider-world';

jest.setTimeout(60_000);

/** The calls that name a request; the others can only concern the caller's own provider. */
const ABOUT_A_REQUEST = [
  'claimMachineRequest',
  'renewLease',
  'reportProgress',
  'reportProvisioned',
  'reportFailure',
  'reportDeprovisioned',
] as const satisfies readonly Rpc[];
const WITH_CERTIFICATE = RPCS.filter((rpc) => rpc !== 'register');

describe('isolation at the providers’ door', () => {
  let world: ProviderWorld;
  let victim: TestProvider;
  let requestId: string;
  let pem: string;
  beforeAll(async () => {
    world = await createProviderWorld();
    victim = await world.provider(await world.tenant('tenant'));
    const owner = await world.join(victim);
    requestId = await world.request(victim);
    await owner.claim(requestId);
    await owner.call('reportInventory', { machines: [machine('secret-vm', newId())] });
    pem = (await createCertificateRequest('x')).certificateRequestPem;
  });
  afterAll(() => world.close());

  /** A body that each call accepts, so that nothing is refused for its shape. */
  const body = (rpc: Rpc): never => {
    const held = { requestId, fencingToken: 1n };
    const bodies: Readonly<Record<Rpc, object>> = {
      register: {
        joinToken: 'qj_x',
        certificateRequestPem: pem,
        agentName: 'a',
        softwareVersion: '1',
        contractVersions: [],
      },
      renewCertificate: { certificateRequestPem: pem },
      heartbeat: { softwareVersion: '1', inFlight: 0 },
      pollMachineRequests: { waitSeconds: 0, maxRequests: 50 },
      claimMachineRequest: { requestId },
      renewLease: held,
      reportProgress: { ...held, step: 's', stepIndex: 1, stepCount: 1, message: '', machineRef: '' },
      reportProvisioned: { ...held, machine: machine('vm', newId()), patches: [] },
      reportFailure: { ...held, code: 7, message: '', retryable: true, retryAfterSeconds: 0 },
      reportDeprovisioned: held,
      reportInventory: { machines: [] },
    };
    return bodies[rpc] as never;
  };

  const everything = async (): Promise<unknown> => [
    await world.sql(`SELECT * FROM machine_requests WHERE tenant_id = $1`, [victim.tenantId]),
    await world.sql(`SELECT * FROM machines WHERE tenant_id = $1`, [victim.tenantId]),
    await world.sql(`SELECT * FROM providers WHERE tenant_id = $1`, [victim.tenantId]),
    await world.sql(`SELECT * FROM provider_agents WHERE tenant_id = $1`, [victim.tenantId]),
    await world.sql(`SELECT * FROM outbox WHERE tenant_id = $1`, [victim.tenantId]),
  ];

  /** A certificate for the victim's own agent, as an authority that is not ours would write it. */
  async function forge(crt?: string): Promise<{ keyPem: string; certificatePem: string }> {
    const now = new Date();
    const [agent] = await world.sql<{ id: string }>(`SELECT id FROM provider_agents WHERE provider_id = $1`, [
      victim.id,
    ]);
    const { keyPem, certificateRequestPem } = await createCertificateRequest('x');
    const rogue = await CertificateAuthority.create({ kind: 'p256', organization: 'quorate providers', now });
    const authority = await CertificateAuthority.load({ crt: crt ?? rogue.crt, key: rogue.key });
    const leaf = {
      uris: [agentUri(victim.id, agent?.id ?? '')],
      usage: 'client',
      now,
      ttlMs: 3_600_000,
    } as const;
    return { keyPem, certificatePem: await authority.signCsr(certificateRequestPem, leaf) };
  }

  async function refusedEverywhere(stranger: TestAgent, status = 'UNAUTHENTICATED'): Promise<void> {
    const before = await everything();
    const answers: string[] = [];
    for (const rpc of WITH_CERTIFICATE) {
      answers.push(`${rpc}: ${(await stranger.refusal(rpc, body(rpc))).status}`);
    }
    expect(answers).toEqual(WITH_CERTIFICATE.map((rpc) => `${rpc}: ${status}`));
    expect(await everything()).toEqual(before);
  }

  it('walks all calls of the contract', () => {
    expect(RPCS).toHaveLength(11);
  });

  it('refuses callers without a certificate', async () => {
    await refusedEverywhere(await world.connect());
  });

  it('refuses certificates of a rogue authority of the same name', async () => {
    await refusedEverywhere(await world.connect(await forge()));
    // With our name and key id but not our signature, not even the handshake succeeds.
    await refusedEverywhere(await world.connect(await forge(await world.ca.caPem())), 'UNAVAILABLE');
  });

  it('refuses certificates whose time is over, and those whose time has not come', async () => {
    const agent = await world.join(victim);
    for (const days of [-2, 2]) {
      const ca = world.caAt(() => new Date(Date.now() + days * 86_400_000));
      const { keyPem, certificateRequestPem } = await createCertificateRequest('x');
      const key = {
        keyPem,
        ...(await ca.signAgentCertificate(certificateRequestPem, victim.id, agent.agentId)),
      };
      await refusedEverywhere(await world.connect(key));
    }
    expect(await agent.offered()).toEqual([]);
  });

  it('refuses the server’s own kind of certificate, which names no agent', async () => {
    await refusedEverywhere(await world.connect(await world.ca.issueServerCertificate(['localhost'])));
  });

  it('refuses an agent under the name of a provider that is not its own', async () => {
    const other = await world.provider(await world.tenant('tenant'));
    const { agentId } = await world.join(other);
    const { keyPem, certificateRequestPem } = await createCertificateRequest('x');
    const { certificatePem } = await world.ca.signAgentCertificate(certificateRequestPem, victim.id, agentId);
    await refusedEverywhere(await world.connect({ keyPem, certificatePem }));
  });

  it('refuses revoked agents', async () => {
    const agent = await world.join(victim);
    await world.sql(`UPDATE provider_agents SET revoked_at = now() WHERE id = $1`, [agent.agentId]);
    await refusedEverywhere(agent);
  });

  it('refuses join tokens that are unknown, expired or revoked, in the same words', async () => {
    const spoil = async (change: string): Promise<string> => {
      const { id, joinToken } = await world.provider(await world.tenant('tenant'));
      await world.sql(`UPDATE provider_join_tokens SET ${change} WHERE provider_id = $1`, [id]);
      return joinToken;
    };
    const tokens = [
      'qj_unknown',
      await spoil(`expires_at = now() - interval '1 second'`),
      await spoil('revoked_at = now()'),
    ];
    const stranger = await world.connect();
    const answers = await Promise.all(
      tokens.map((joinToken) =>
        stranger.refusal('register', { ...(body('register') as object), joinToken } as never),
      ),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.status).toBe('UNAUTHENTICATED');
  });

  it.each(['another tenant', 'the same tenant'])(
    'shows nothing to an agent of another provider of %s',
    async (whose) => {
      const tenantId = whose === 'the same tenant' ? victim.tenantId : await world.tenant('tenant');
      const stranger = await world.join(await world.provider(tenantId));
      const before = await everything();
      const answers: unknown[] = [];
      for (const rpc of ABOUT_A_REQUEST) {
        const foreign = await stranger.refusal(rpc, body(rpc));
        const absent = await stranger.refusal(rpc, { ...(body(rpc) as object), requestId: newId() });
        expect(foreign).toEqual(absent);
        answers.push(`${rpc}: ${foreign.status}`);
      }
      expect(answers).toEqual(ABOUT_A_REQUEST.map((rpc) => `${rpc}: NOT_FOUND`));
      expect(await stranger.offered()).toEqual([]);
      await stranger.call('reportInventory', { machines: [] });
      expect(await everything()).toEqual(before);
    },
  );

  it('answers faults of the request with the field’s name', async () => {
    const stranger = await world.join(await world.provider(await world.tenant('tenant')));
    const refusal = await stranger.refusal('claimMachineRequest', { requestId: 'not-a-uuid' });
    expect(refusal.status).toBe('INVALID_ARGUMENT');
    expect(refusal.words).toContain('request_id');
    expect(world.faults).toEqual([]);
  });
});
