/** The providers' door when several agents, or one that repeats itself, do the same thing at the same moment. */
import { status, type ServiceError } from '@grpc/grpc-js';
import { createCertificateRequest } from '../../src/agent/sdk/agent-identity';
import { newId } from '../../src/platform/ids';
import {
  createProviderWorld,
  machine,
  type ProviderWorld,
  type TestAgent,
  type TestProvider,
} from '../support/provider-world';

jest.setTimeout(60_000);

let world: ProviderWorld;
let provider: TestProvider;
let agent: TestAgent;
let second: TestAgent;
beforeAll(async () => {
  world = await createProviderWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  provider = await world.provider(await world.tenant('tenant'));
  agent = await world.join(provider);
  second = await world.join(provider);
});
afterEach(() => expect(world.faults.splice(0)).toEqual([]));

const provisioned = (requestId: string, fencingToken: bigint, made = machine(requestId, newId())) => ({
  requestId,
  fencingToken,
  machine: made,
  patches: [],
});
const progress = (requestId: string, fencingToken: bigint, machineRef: string) => ({
  requestId,
  fencingToken,
  step: 'create',
  stepIndex: 1,
  stepCount: 2,
  message: '',
  machineRef,
});
const outcomes = async (calls: Promise<unknown>[]): Promise<(string | undefined)[]> =>
  (await Promise.allSettled(calls))
    .map((call) => (call.status === 'fulfilled' ? 'OK' : status[(call.reason as ServiceError).code]))
    .sort();
const hints = async (): Promise<number> =>
  (await world.sql(`SELECT 1 FROM outbox WHERE hint_key = $1`, [`cluster:${provider.clusterId}`])).length;

it('gives each lease to one of two agents, round after round', async () => {
  for (let round = 0; round < 25; round++) {
    const id = await world.request(provider);
    expect(await outcomes([agent.claim(id), second.claim(id)])).toEqual(['FAILED_PRECONDITION', 'OK']);
    expect(await world.requestRow(id)).toMatchObject({ phase: 'Claimed', attempt: 1, fencing_token: '1' });
  }
});

it('gives a lease that ran out to one of two agents, and its old holder nothing', async () => {
  for (let round = 0; round < 10; round++) {
    const id = await world.request(provider);
    const old = await agent.claimToken(id);
    await world.lapse(id);
    const [claim, report] = await Promise.allSettled([
      second.claim(id),
      agent.call('reportProvisioned', provisioned(id, old)),
    ]);
    // Either order is right; both at once is not.
    expect([claim.status, report.status].sort()).toEqual(['fulfilled', 'rejected']);
    const row = await world.requestRow(id);
    expect(row?.['phase']).toBe(claim.status === 'fulfilled' ? 'Claimed' : 'Provisioned');
    const made = (await world.machines(provider)).filter((one) => one.request_id === id);
    expect(made).toHaveLength(claim.status === 'fulfilled' ? 0 : 1);
  }
});

it('takes a report that is sent again before it was answered as the one report that it is', async () => {
  const id = await world.request(provider);
  const report = provisioned(id, await agent.claimToken(id));
  expect(await outcomes(Array.from({ length: 5 }, () => agent.call('reportProvisioned', report)))).toEqual(
    Array.from({ length: 5 }, () => 'OK'),
  );
  expect(await hints()).toBe(1);
  expect(await world.machines(provider)).toHaveLength(1);
});

it('keeps a reference for the one of two requests that names it first', async () => {
  for (let round = 0; round < 10; round++) {
    const [one, other] = [await world.request(provider), await world.request(provider)];
    const ref = `vm-${round}`;
    const calls = [
      agent.call('reportProgress', progress(one, await agent.claimToken(one), ref)),
      second.call('reportProgress', progress(other, await second.claimToken(other), ref)),
    ];
    expect(await outcomes(calls)).toEqual(['ALREADY_EXISTS', 'OK']);
    const holders = await world.sql(`SELECT 1 FROM machine_requests WHERE provider_machine_ref = $1`, [ref]);
    expect(holders).toHaveLength(1);
  }
});

it('keeps no reference of a machine that something else uses: in the end it would be destroyed', async () => {
  const named = machine('rack-7', newId());
  await agent.call('reportInventory', { machines: [named] });
  await world.sql(`UPDATE machines SET cluster_id = $1 WHERE id = $2`, [provider.clusterId, named.machineId]);
  const id = await world.request(provider);
  const refusal = await agent.refusal('reportProgress', progress(id, await agent.claimToken(id), 'rack-7'));
  expect([refusal.status, refusal.code]).toEqual(['ALREADY_EXISTS', 'MACHINE_IN_USE']);
  expect(await world.requestRow(id)).toMatchObject({ phase: 'Claimed', provider_machine_ref: null });
});

it('knows one of several agents that register under one name', async () => {
  const stranger = await world.connect();
  const registered = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { keyPem, certificateRequestPem } = await createCertificateRequest('x');
      const { joinToken } = provider;
      const answer = await stranger.call('register', {
        joinToken,
        certificateRequestPem,
        agentName: 'site-1',
        softwareVersion: '1',
        contractVersions: ['v1'],
      });
      return { keyPem, ...answer };
    }),
  );
  const members = await Promise.all(registered.map((key) => world.connect(key, key.agentId, provider.id)));
  const answers = await outcomes(members.map((member) => member.offered()));
  expect(answers).toEqual(['OK', ...Array.from({ length: 5 }, () => 'UNAUTHENTICATED')]);
});

it('takes inventories, moves and reports that cross each other', async () => {
  const fleet = (port: number) =>
    Array.from({ length: 40 }, (_, i) =>
      machine(`vm-${i}`, `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`, {
        talosEndpoint: `10.0.0.1:${port + i}`,
      }),
    );
  const id = await world.request(provider);
  const fencingToken = await agent.claimToken(id);
  const [made] = fleet(20_000);
  const answers = await outcomes([
    agent.call('reportInventory', { machines: fleet(20_000) }),
    second.call('reportInventory', { machines: fleet(30_000).reverse() }),
    agent.call('reportProvisioned', provisioned(id, fencingToken, made)),
    second.call('reportInventory', { machines: fleet(20_000) }),
  ]);
  expect(answers).toEqual(['OK', 'OK', 'OK', 'OK']);
  const rows = await world.machines(provider);
  expect(rows).toHaveLength(40);
  expect(rows.filter((row) => row.request_id === id)).toHaveLength(1);
  await second.call('reportInventory', { machines: fleet(40_000) });
  const moved = await world.sql(
    `SELECT 1 FROM machines WHERE provider_id = $1 AND talos_endpoint LIKE '10.0.0.1:400%'`,
    [provider.id],
  );
  expect(moved).toHaveLength(40);
});

it('does not bring back a machine that was destroyed while an inventory was on its way', async () => {
  const id = await world.request(provider);
  const made = machine('vm-1', newId());
  await agent.call('reportProvisioned', provisioned(id, await agent.claimToken(id), made));
  await world.sql(
    `UPDATE machine_requests SET deprovision_requested_at = now(), gate_opened_at = now() WHERE id = $1`,
    [id],
  );
  await agent.call('reportDeprovisioned', { requestId: id, fencingToken: await agent.claimToken(id) });
  await second.call('reportInventory', { machines: [made] });
  expect((await world.machines(provider))[0]?.gone_at).toBeInstanceOf(Date);
});
