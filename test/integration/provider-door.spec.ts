/** What the providers' door takes and what it answers: texts and numbers of any kind, polls, versions, its own end. */
import { once } from 'node:events';
import { connect } from 'node:tls';
import { createCertificateRequest } from '../../src/agent/sdk/agent-identity';
import { newId } from '../../src/platform/ids';
import {
  createProviderWorld,
  machine,
  type ProviderWorld,
  type Rpc,
  type TestAgent,
  type TestProvider,
} from '../support/provider-world';
import { eventually } from '../support/reconcile-world';

jest.setTimeout(60_000);

let world: ProviderWorld;
let provider: TestProvider;
let agent: TestAgent;
let pem: string;
beforeAll(async () => {
  world = await createProviderWorld();
  provider = await world.provider(await world.tenant('tenant'));
  agent = await world.join(provider);
  pem = (await createCertificateRequest('x')).certificateRequestPem;
});
afterAll(() => world.close());
afterEach(() => expect(world.faults.splice(0)).toEqual([]));

/** Serial number of the certificate that a new connection is shown. */
async function serialAt(endpoint: string): Promise<string> {
  const port = Number(endpoint.split(':')[1]);
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

const registration = (more: object = {}) => ({
  joinToken: provider.joinToken,
  certificateRequestPem: pem,
  agentName: 'a',
  softwareVersion: '1',
  contractVersions: ['v1'],
  ...more,
});
const LONG = 'x'.repeat(100_000);
const MAX_UINT64 = 2n ** 64n - 1n;
const held = { requestId: newId(), fencingToken: 1n };
const made = machine('vm', newId());
const progressed = { ...held, step: 's', stepIndex: 1, stepCount: 1, message: '', machineRef: '' };
const provisioned = { ...held, machine: made, patches: [] };
const failed = { ...held, code: 7, message: '', retryable: true, retryAfterSeconds: 0 };
const patch = { name: 'p', contentYaml: 'machine: {}' };

/** Which field is named when it holds this. */
const FAULTS: readonly [Rpc, string, () => object][] = [
  ['register', 'join_token', () => registration({ joinToken: '' })],
  ['register', 'join_token', () => registration({ joinToken: LONG })],
  ['register', 'certificate_request_pem', () => registration({ certificateRequestPem: 'a\0b' })],
  ['register', 'certificate_request_pem', () => registration({ certificateRequestPem: 'no PEM' })],
  ['register', 'agent_name', () => registration({ agentName: 'A name' })],
  ['register', 'agent_name', () => registration({ agentName: 'a\n' })],
  ['register', 'software_version', () => registration({ softwareVersion: '1\0' })],
  ['register', 'contract_versions', () => registration({ contractVersions: Array(21).fill('v1') })],
  ['renewCertificate', 'certificate_request_pem', () => ({ certificateRequestPem: '' })],
  ['heartbeat', 'software_version', () => ({ softwareVersion: 'a\u001b[31m', inFlight: 0 })],
  ['claimMachineRequest', 'request_id', () => ({ requestId: '' })],
  ['renewLease', 'fencing_token', () => ({ ...held, fencingToken: MAX_UINT64 })],
  ['reportProgress', 'fencing_token', () => ({ ...progressed, fencingToken: MAX_UINT64 })],
  ['reportProgress', 'step', () => ({ ...progressed, step: 'a\0' })],
  ['reportProgress', 'machine_ref', () => ({ ...progressed, machineRef: 'a\0' })],
  ['reportProvisioned', 'machine', () => ({ ...held, patches: [] })],
  ['reportProvisioned', 'machine.machine_ref', () => ({ ...provisioned, machine: machine('', newId()) })],
  ['reportProvisioned', 'machine.machine_ref', () => ({ ...provisioned, machine: machine('a\0', newId()) })],
  ['reportProvisioned', 'machine.machine_id', () => ({ ...provisioned, machine: machine('a', 'b') })],
  [
    'reportProvisioned',
    'machine.addresses',
    () => ({ ...provisioned, machine: { ...made, addresses: ['1.2.3'] } }),
  ],
  [
    'reportProvisioned',
    'machine.talos_endpoint',
    () => ({ ...provisioned, machine: { ...made, talosEndpoint: 'h:0' } }),
  ],
  [
    'reportProvisioned',
    'patches[1].content_yaml',
    () => ({ ...provisioned, patches: [patch, { name: 'q', contentYaml: 'a: "\0"' }] }),
  ],
  ['reportProvisioned', 'patches[1].name', () => ({ ...provisioned, patches: [patch, patch] })],
  ['reportProvisioned', 'patches[0].name', () => ({ ...provisioned, patches: [{ ...patch, name: LONG }] })],
  ['reportFailure', 'request_id', () => ({ ...failed, requestId: 'x' })],
  ['reportDeprovisioned', 'fencing_token', () => ({ ...held, fencingToken: 2n ** 63n })],
  ['reportInventory', 'machines[1].machine_ref', () => ({ machines: [made, machine('a\0', newId())] })],
];

it.each(FAULTS)('%s names %s when it cannot be right', async (rpc, field, body) => {
  const caller = rpc === 'register' ? await world.connect() : agent;
  const refusal = await caller.refusal(rpc, { patches: [], ...body() } as never);
  expect(refusal.status).toBe('INVALID_ARGUMENT');
  expect(refusal.words).toContain(field);
});

it('keeps what a failure says, though never more than people read', async () => {
  const id = await world.request(provider);
  const { lease } = await agent.claim(id);
  const message = `no room\0 in ${LONG}`;
  await agent.call('reportFailure', {
    requestId: id,
    fencingToken: lease?.fencingToken ?? 0n,
    code: 77 as never,
    message,
    retryable: false,
    retryAfterSeconds: 0,
  });
  const error = (await world.requestRow(id))?.['last_error'] as { code: string; message: string };
  expect(error.code).toBe('UNSPECIFIED');
  expect(error.message).toHaveLength(1_000);
  expect(error.message).toMatch(/^no room {2}in x+…$/);
});

it('answers a patch with a thousand faults in words that fit into an answer', async () => {
  const managed = await world.provider(await world.tenant('tenant'), { managed: true });
  const member = await world.join(managed);
  const id = await world.request(managed);
  const { lease } = await member.claim(id);
  const lines = Array.from({ length: 900 }, (_, i) => `  ключ${i}: {}`);
  const refusal = await member.refusal('reportProvisioned', {
    requestId: id,
    fencingToken: lease?.fencingToken ?? 0n,
    machine: machine('vm', newId()),
    patches: [{ name: 'big', contentYaml: `machine:\n${lines.join('\n')}\n` }],
  });
  expect([refusal.status, refusal.code]).toEqual(['INVALID_ARGUMENT', 'PATCH_REFUSED']);
  expect(refusal.words).toMatch(/and \d+ more$/);
});

it('registers no agent that speaks another contract, and any that does not say', async () => {
  const stranger = await world.connect();
  const refusal = await stranger.refusal('register', registration({ contractVersions: ['v2', 'v3'] }));
  expect([refusal.status, refusal.code]).toEqual(['FAILED_PRECONDITION', 'CONTRACT_VERSION_UNSUPPORTED']);
  await stranger.call('register', registration({ contractVersions: ['v2', 'v1'] }));
  await stranger.call('register', registration({ contractVersions: [] }));
});

describe('polls', () => {
  it('wake within a second of a request that anyone writes', async () => {
    const delays: number[] = [];
    // The own look of a poll comes after three seconds, so one quick answer proves the signal on a busy machine too.
    while (Math.min(...delays, Infinity) > 1_000 && delays.length < 3) {
      const polled = agent.offered(20);
      await agent.call('heartbeat', { softwareVersion: '1', inFlight: 0 });
      const wrote = performance.now();
      const id = await world.request(provider);
      expect(await polled).toEqual([id]);
      delays.push(performance.now() - wrote);
      await agent.claim(id);
    }
    expect(Math.min(...delays)).toBeLessThan(1_000);
  });

  it('answer empty when their time is over, and at once without one', async () => {
    const began = performance.now();
    expect(await agent.offered(0)).toEqual([]);
    expect(await agent.offered(1)).toEqual([]);
    expect(performance.now() - began).toBeGreaterThan(950);
  });

  it('take more than they may have as the most they may have', async () => {
    const id = await world.request(provider);
    const most = { waitSeconds: 4_294_967_295, maxRequests: 4_294_967_295 };
    expect((await agent.call('pollMachineRequests', most)).work).toEqual([{ requestId: id, action: 1 }]);
    await agent.claim(id);
  });

  it('are not ended by a new certificate of the server, which new connections see', async () => {
    const own = await createProviderWorld({ renewMs: 50 });
    try {
      const owner = await own.provider(await own.tenant('tenant'));
      const member = await own.join(owner);
      const polled = member.offered(20);
      const serials = new Set<string>();
      await eventually('there is another', async () => serials.add(await serialAt(own.endpoint)).size > 1);
      const id = await own.request(owner);
      expect(await polled).toEqual([id]);
      expect(await (await own.join(owner)).offered()).toEqual([id]);
    } finally {
      await own.close();
    }
  });

  it('are answered when the server stops, and not cut', async () => {
    const own = await createProviderWorld();
    try {
      const member = await own.join(await own.provider(await own.tenant('tenant')));
      const polled = member.offered(30);
      await member.call('heartbeat', { softwareVersion: '1', inFlight: 0 });
      await own.closeDoor();
      expect(await polled).toEqual([]);
      expect(own.faults).toEqual([]);
    } finally {
      await own.close();
    }
  });
});
