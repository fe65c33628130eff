/** Behavior table 9 at the door itself: leases, fences, duplicates, foreign machines, inventories. */
import { X509Certificate } from 'node:crypto';
import { createCertificateRequest } from '../../src/agent/sdk/agent-identity';
import { chooseAction } from '../../src/domain/provider/choose-action';
import { REQUEST_PHASES } from '../../src/domain/planner/cluster-snapshot';
import { FailureCode } from '../../src/generated/proto/quorate/provider/v1/provider';
import { newId } from '../../src/platform/ids';
import {
  createProviderWorld,
  machine,
  type ProviderWorld,
  type TestAgent,
  type TestProvider,
} from '../support/provider-world';
import { eventually } from '../support/reconcile-world';

jest.setTimeout(60_000);

let world: ProviderWorld;
let provider: TestProvider;
let agent: TestAgent;
let second: TestAgent;
beforeAll(async () => {
  world = await createProviderWorld();
});
afterAll(async () => {
  await world.close();
});
beforeEach(async () => {
  provider = await world.provider(await world.tenant('tenant'));
  agent = await world.join(provider);
  second = await world.join(provider);
});
afterEach(() => expect(world.faults.splice(0)).toEqual([]));

const hints = async (): Promise<number> =>
  (await world.sql(`SELECT 1 FROM outbox WHERE hint_key = $1`, [`cluster:${provider.clusterId}`])).length;

const provisioned = (requestId: string, fencingToken: bigint, made = machine(requestId, newId())) => ({
  requestId,
  fencingToken,
  machine: made,
  patches: [],
});
const failed = (requestId: string, fencingToken: bigint, more: object = {}) => ({
  requestId,
  fencingToken,
  code: FailureCode.FAILURE_CODE_QUOTA_EXCEEDED,
  message: 'no room',
  retryable: true,
  retryAfterSeconds: 0,
  ...more,
});
const progress = (requestId: string, fencingToken: bigint, machineRef = '') => ({
  requestId,
  fencingToken,
  step: 'create',
  stepIndex: 1,
  stepCount: 2,
  message: '',
  machineRef,
});

describe('what is offered', () => {
  it('is what the domain says, in every case', async () => {
    const times = [null, new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
    const cases = REQUEST_PHASES.flatMap((phase) =>
      times.flatMap((leaseExpiresAt) =>
        times.flatMap((nextAttemptAt) =>
          [null, times[1] as Date].flatMap((deprovisionRequestedAt) =>
            [null, times[1] as Date].map((gateOpenedAt) => ({
              phase,
              leaseExpiresAt,
              nextAttemptAt,
              deprovisionRequestedAt,
              gateOpenedAt,
            })),
          ),
        ),
      ),
    );
    const expected = new Map<string, string>();
    for (const view of cases) {
      const id = await world.request(provider, {
        phase: view.phase,
        lease_expires_at: view.leaseExpiresAt,
        next_attempt_at: view.nextAttemptAt,
        deprovision_requested_at: view.deprovisionRequestedAt,
        gate_opened_at: view.gateOpenedAt,
      });
      const action = chooseAction({ ...view, phase: view.phase }, new Date());
      if (action !== undefined) {
        expected.set(id, action);
      }
    }
    const offered = await world.work.run(provider.tenantId, (tx) =>
      world.requests.listClaimable(tx, provider.id, 1_000),
    );
    expect(new Map(offered.map((work) => [work.requestId, work.action]))).toEqual(expected);
  });

  it('is not held back by requests that cannot be worked on', async () => {
    const later = new Date(Date.now() + 600_000);
    for (let i = 0; i < 8; i++) {
      await world.request(provider, { phase: 'Failed', next_attempt_at: i % 2 === 0 ? null : later });
    }
    const pending = await world.request(provider);
    const { work } = await agent.call('pollMachineRequests', { waitSeconds: 0, maxRequests: 1 });
    expect(work.map((w) => w.requestId)).toEqual([pending]);
  });

  it('wakes a waiting poll, whoever wrote it', async () => {
    const began = performance.now();
    const polled = agent.offered(30);
    const early = await Promise.race([polled, new Promise((resolve) => setImmediate(resolve, 'waits'))]);
    expect(early).toBe('waits');
    const id = await world.request(provider);
    expect(await polled).toEqual([id]);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe('leases', () => {
  it('are given once, however many agents claim at the same moment', async () => {
    const agents = [agent, second, await world.join(provider), await world.join(provider)];
    const id = await world.request(provider);
    const claims = await Promise.allSettled(agents.map((one) => one.claim(id)));
    expect(claims.filter((claim) => claim.status === 'fulfilled')).toHaveLength(1);
    expect(await world.requestRow(id)).toMatchObject({ phase: 'Claimed', attempt: 1, fencing_token: '1' });
  });

  it('tell the agent what to do', async () => {
    const id = await world.request(provider);
    const { lease, request } = await agent.claim(id);
    expect(lease).toMatchObject({ fencingToken: 1n, durationSeconds: 60 });
    expect(Math.abs((lease?.expiresAt?.getTime() ?? 0) - Date.now() - 60_000)).toBeLessThan(10_000);
    expect(request).toMatchObject({
      requestId: id,
      action: 1,
      talosVersion: '1.13.9',
      machineRef: '',
      attempt: 1,
    });
    expect(request?.shape).toEqual({ cpus: 2, memoryBytes: 4096n, diskBytes: 8192n });
    expect((await agent.refusal('claimMachineRequest', { requestId: id })).status).toBe(
      'FAILED_PRECONDITION',
    );
  });

  it('pass on the machine that a dead agent began, and fence the dead one out', async () => {
    const id = await world.request(provider);
    const old = await agent.claimToken(id);
    await agent.call('reportProgress', progress(id, old, 'vm-begun'));
    expect(await second.offered()).toEqual([]);
    await world.lapse(id);
    expect(await second.offered()).toEqual([id]);
    const taken = await second.claim(id);
    expect(taken.request).toMatchObject({ machineRef: 'vm-begun', attempt: 2 });
    expect(taken.lease?.fencingToken).toBe(old + 1n);

    const before = await world.requestRow(id);
    const told = await hints();
    const held = { requestId: id, fencingToken: old };
    const stale = [
      await agent.refusal('renewLease', held),
      await agent.refusal('reportProgress', progress(id, old, 'vm-other')),
      await agent.refusal('reportProvisioned', provisioned(id, old)),
      await agent.refusal('reportFailure', failed(id, old)),
      await agent.refusal('reportDeprovisioned', held),
      // The right token in the wrong hands is no better.
      await agent.refusal('reportProvisioned', provisioned(id, old + 1n)),
    ];
    expect(stale.map((refusal) => [refusal.status, refusal.code])).toEqual(
      stale.map(() => ['FAILED_PRECONDITION', 'LEASE_STALE']),
    );
    expect(await world.requestRow(id)).toEqual(before);
    expect(await world.machines(provider)).toEqual([]);
    expect(await hints()).toBe(told);
  });

  it('are not renewed once they ran out, but what was done until then counts', async () => {
    const id = await world.request(provider);
    const fencingToken = await agent.claimToken(id);
    await agent.call('renewLease', { requestId: id, fencingToken });
    await world.lapse(id);
    expect((await agent.refusal('renewLease', { requestId: id, fencingToken })).code).toBe('LEASE_STALE');
    await agent.call('reportProvisioned', provisioned(id, fencingToken));
    expect(await world.requestRow(id)).toMatchObject({ phase: 'Provisioned' });
  });
});

describe('reports', () => {
  it('put the machine into its cluster and its set, once, however often they are sent', async () => {
    const id = await world.request(provider);
    const fencingToken = await agent.claimToken(id);
    const made = machine('vm-1', newId());
    const report = {
      ...provisioned(id, fencingToken, made),
      patches: [{ name: 'lb', contentYaml: 'machine: {sysctls: {a.b: "1"}}' }],
    };
    await agent.call('reportProvisioned', report);
    const told = await hints();
    const row = await world.requestRow(id);
    await agent.call('reportProvisioned', report);
    expect(await world.requestRow(id)).toEqual(row);
    expect(await hints()).toBe(told);
    expect(row).toMatchObject({ phase: 'Provisioned', lease_holder: null, machine_id: made.machineId });
    expect(await world.machines(provider)).toEqual([
      expect.objectContaining({
        id: made.machineId,
        request_id: id,
        cluster_id: provider.clusterId,
        machine_set_id: provider.machineSetId,
        talos_endpoint: '10.0.0.7:50000',
        kubernetes_endpoint: '10.0.0.7:6443',
        gone_at: null,
      }),
    ]);
    const patches = await world.sql(
      `SELECT origin, weight, machine_id FROM config_patches WHERE cluster_id = $1`,
      [provider.clusterId],
    );
    expect(patches).toEqual([{ origin: 'provider', weight: 600, machine_id: made.machineId }]);
    const other = provisioned(id, fencingToken, machine('vm-2', newId()));
    expect((await agent.refusal('reportProvisioned', other)).status).toBe('FAILED_PRECONDITION');
  });

  it('of failure bring the request back after a pause, or never', async () => {
    const [again, never] = [await world.request(provider), await world.request(provider)];
    const token = await agent.claimToken(again);
    await agent.call('reportFailure', failed(again, token, { retryAfterSeconds: 120 }));
    await agent.call('reportFailure', failed(again, token));
    await agent.call('reportFailure', failed(never, await agent.claimToken(never), { retryable: false }));
    const row = await world.requestRow(again);
    expect(row).toMatchObject({ phase: 'Failed', lease_holder: null });
    expect(row?.['last_error']).toMatchObject({ code: 'QUOTA_EXCEEDED', message: 'no room' });
    const inSeconds = ((row?.['next_attempt_at'] as Date).getTime() - Date.now()) / 1000;
    expect(inSeconds).toBeGreaterThan(100);
    expect(inSeconds).toBeLessThan(130);
    expect(await world.requestRow(never)).toMatchObject({ phase: 'Failed', next_attempt_at: null });
    expect(await agent.offered()).toEqual([]);
    await world.sql(`UPDATE machine_requests SET next_attempt_at = now() WHERE id = $1`, [again]);
    expect((await second.claim(again)).request?.attempt).toBe(2);
  });

  it('of the end: only behind the gate, and repeatable', async () => {
    const id = await world.request(provider);
    await agent.call('reportProvisioned', provisioned(id, await agent.claimToken(id)));
    await world.sql(`UPDATE machine_requests SET deprovision_requested_at = now() WHERE id = $1`, [id]);
    expect(await agent.offered()).toEqual([]);
    await world.sql(`UPDATE machine_requests SET gate_opened_at = now() WHERE id = $1`, [id]);
    expect(await agent.offered()).toEqual([id]);
    const { lease, request } = await agent.claim(id);
    const fencingToken = lease?.fencingToken ?? 0n;
    expect(request).toMatchObject({ action: 2, machineRef: id, attempt: 1 });
    expect((await agent.refusal('reportProvisioned', provisioned(id, fencingToken))).code).toBe(
      'REPORT_MISPLACED',
    );
    await agent.call('reportDeprovisioned', { requestId: id, fencingToken });
    await agent.call('reportDeprovisioned', { requestId: id, fencingToken });
    expect(await world.requestRow(id)).toMatchObject({ phase: 'Deprovisioned', lease_holder: null });
    const [gone] = await world.machines(provider);
    expect(gone?.gone_at).toBeInstanceOf(Date);
  });
});

describe('machines of others', () => {
  it('are refused and written down', async () => {
    const [first, next] = [await world.request(provider), await world.request(provider)];
    const made = machine('vm-1', newId());
    await agent.call('reportProvisioned', provisioned(first, await agent.claimToken(first), made));
    const fencingToken = await agent.claimToken(next);
    const elsewhere = await world.provider(provider.tenantId);
    const foreignId = newId();
    await world.sql(
      `INSERT INTO machines (id, tenant_id, provider_id, provider_machine_ref, talos_endpoint, kubernetes_endpoint)
       VALUES ($1, $2, $3, 'x', 'a:1', 'a:2')`,
      [foreignId, provider.tenantId, elsewhere.id],
    );
    const before = await world.sql(`SELECT * FROM machines ORDER BY id`);
    const refusals = [
      await agent.refusal('reportProvisioned', provisioned(next, fencingToken, made)),
      await agent.refusal('reportProvisioned', provisioned(next, fencingToken, machine('vm-1', newId()))),
      await agent.refusal(
        'reportProvisioned',
        provisioned(next, fencingToken, machine('vm-9', made.machineId)),
      ),
      await agent.refusal('reportProvisioned', provisioned(next, fencingToken, machine('vm-9', foreignId))),
      await agent.refusal('reportProgress', progress(next, fencingToken, 'vm-1')),
    ];
    expect(refusals.map((refusal) => refusal.status)).toEqual(refusals.map(() => 'ALREADY_EXISTS'));
    expect(await world.sql(`SELECT * FROM machines ORDER BY id`)).toEqual(before);
    const denied = await world.sql(
      `SELECT object FROM audit_events WHERE tenant_id = $1 AND action = 'machine.claim' AND outcome = 'denied'`,
      [provider.tenantId],
    );
    expect(denied).toEqual(refusals.map(() => ({ object: `machine-request/${next}` })));
    expect(await world.requestRow(next)).toMatchObject({ phase: 'Claimed', machine_id: null });
  });

  it('are not won by two reports at the same moment either', async () => {
    const elsewhere = await world.provider(provider.tenantId);
    const rival = await world.join(elsewhere);
    const [ours, theirs] = [await world.request(provider), await world.request(elsewhere)];
    const machineId = newId();
    const reports = await Promise.allSettled([
      agent.call(
        'reportProvisioned',
        provisioned(ours, await agent.claimToken(ours), machine('a', machineId)),
      ),
      rival.call(
        'reportProvisioned',
        provisioned(theirs, await rival.claimToken(theirs), machine('b', machineId)),
      ),
    ]);
    expect(reports.map((report) => report.status).sort()).toEqual(['fulfilled', 'rejected']);
    const [row] = await world.sql<{ provider_id: string; request_id: string }>(
      `SELECT provider_id, request_id FROM machines WHERE id = $1`,
      [machineId],
    );
    expect([`${provider.id} ${ours}`, `${elsewhere.id} ${theirs}`]).toContain(
      `${row?.provider_id} ${row?.request_id}`,
    );
  });

  it('of other tenants do not stand in the way, even with the same id', async () => {
    const stranger = await world.provider(await world.tenant('tenant'));
    const machineId = newId();
    for (const one of [provider, stranger]) {
      const id = await world.request(one);
      const member = await world.join(one);
      await member.call(
        'reportProvisioned',
        provisioned(id, await member.claimToken(id), machine('vm', machineId)),
      );
    }
    expect(await world.sql(`SELECT 1 FROM machines WHERE id = $1`, [machineId])).toHaveLength(2);
  });

  it('do not let patches touch what is reserved', async () => {
    const managed = await world.provider(await world.tenant('tenant'), { managed: true });
    const member = await world.join(managed);
    const id = await world.request(managed);
    const report = provisioned(id, await member.claimToken(id));
    const patches = [{ name: 'x', contentYaml: 'cluster: {discovery: {enabled: false}}' }];
    const refusal = await member.refusal('reportProvisioned', { ...report, patches });
    expect([refusal.status, refusal.code]).toEqual(['INVALID_ARGUMENT', 'PATCH_REFUSED']);
    expect(await world.machines(managed)).toEqual([]);
    const many = Array.from({ length: 21 }, (_, i) => ({ name: `p${i}`, contentYaml: 'machine: {}' }));
    expect((await member.refusal('reportProvisioned', { ...report, patches: many })).words).toContain(
      'patches',
    );
  });
});

describe('inventories', () => {
  const age = () =>
    world.sql(
      `UPDATE machines SET last_seen_at = last_seen_at - interval '1 minute', missing_since = missing_since - interval '1 minute',
         gone_at = gone_at - interval '1 minute'
       WHERE provider_id = $1`,
      [provider.id],
    );

  it('record machines that nobody asked for, and adopt none', async () => {
    const id = await world.request(provider);
    const fencingToken = await agent.claimToken(id);
    const found = machine('vm-1', newId(), { requestId: id });
    await agent.call('reportInventory', { machines: [found] });
    await agent.call('reportInventory', { machines: [found] });
    expect(await world.machines(provider)).toEqual([
      expect.objectContaining({ id: found.machineId, request_id: null, cluster_id: null }),
    ]);
    // Only who holds the lease may say that it was made for the request.
    await agent.call('reportProvisioned', provisioned(id, fencingToken, found));
    expect(await world.machines(provider)).toEqual([
      expect.objectContaining({ id: found.machineId, request_id: id, cluster_id: provider.clusterId }),
    ]);
  });

  it('count a machine as gone when two of them miss it, and as there when it is back', async () => {
    const id = await world.request(provider);
    const made = machine('vm-1', newId());
    await agent.call('reportProvisioned', provisioned(id, await agent.claimToken(id), made));
    const isGone = async (): Promise<boolean> => (await world.machines(provider))[0]?.gone_at !== null;
    await agent.call('reportInventory', { machines: [] });
    await second.call('reportInventory', { machines: [] });
    expect(await isGone()).toBe(false);
    await age();
    await agent.call('reportInventory', { machines: [] });
    expect(await isGone()).toBe(false);
    await age();
    const told = await hints();
    await agent.call('reportInventory', { machines: [] });
    expect(await isGone()).toBe(true);
    expect(await hints()).toBe(told + 1);
    await agent.call('reportInventory', { machines: [made] });
    expect(await isGone()).toBe(true);
    await age();
    await agent.call('reportInventory', { machines: [machine('vm-1', newId())] });
    expect(await isGone()).toBe(true);
    await agent.call('reportInventory', { machines: [made] });
    expect(await isGone()).toBe(false);
  });

  it('leave machines of other providers alone', async () => {
    const elsewhere = await world.provider(provider.tenantId);
    const rival = await world.join(elsewhere);
    const theirs = machine('vm-1', newId());
    await rival.call('reportInventory', { machines: [theirs] });
    const before = await world.machines(elsewhere);
    await agent.call('reportInventory', { machines: [theirs, machine('vm-2', newId())] });
    expect(await world.machines(elsewhere)).toEqual(before);
    expect(await world.machines(provider)).toHaveLength(1);
  });

  it('of thousands of machines are taken', async () => {
    const machines = Array.from({ length: 5_000 }, (_, i) => machine(`vm-${i}`, newId()));
    await agent.call('reportInventory', { machines });
    await agent.call('reportInventory', { machines });
    expect(await world.machines(provider)).toHaveLength(5_000);
    const tooMany = { machines: [...machines, machine('one-more', newId())] };
    expect((await agent.refusal('reportInventory', tooMany)).status).toBe('INVALID_ARGUMENT');
  });
});

describe('agents', () => {
  it('keep their provider alive by heartbeats', async () => {
    const health = () => world.sql(`SELECT last_heartbeat_at FROM providers WHERE id = $1`, [provider.id]);
    expect(await health()).toEqual([{ last_heartbeat_at: null }]);
    const answer = await agent.call('heartbeat', { softwareVersion: '2.0.0', inFlight: 0 });
    expect(answer.nextHeartbeatSeconds).toBeGreaterThan(0);
    expect(await health()).toEqual([{ last_heartbeat_at: expect.any(Date) }]);
  });

  it('leave requests as they are while none of them is there', async () => {
    const id = await world.request(provider);
    await world.sql(`UPDATE providers SET last_heartbeat_at = now() - interval '1 day' WHERE id = $1`, [
      provider.id,
    ]);
    expect(await world.requestRow(id)).toMatchObject({ phase: 'Pending', attempt: 0 });
    expect(await eventually('it is offered again', async () => (await agent.offered())[0])).toBe(id);
  });

  it('get certificates for a day that name them and nothing else', async () => {
    const { keyPem, certificateRequestPem } = await createCertificateRequest('CN=root');
    const { certificatePem, caPem, expiresAt } = await agent.call('renewCertificate', {
      certificateRequestPem,
    });
    const certificate = new X509Certificate(certificatePem);
    expect(certificate.subjectAltName).toBe(
      `URI:spiffe://quorate/provider/${provider.id}/agent/${agent.agentId}`,
    );
    expect(certificate.subject).not.toContain('root');
    expect(certificate.verify(new X509Certificate(caPem).publicKey)).toBe(true);
    const hours = ((expiresAt?.getTime() ?? 0) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    const renewed = await world.connect({ keyPem, certificatePem }, agent.agentId, provider.id);
    expect(await renewed.offered()).toEqual([]);
  });

  it('of the same name take the first one’s place', async () => {
    const first = await world.join(provider, 'site-1');
    const id = await world.request(provider);
    const fencingToken = await first.claimToken(id);
    const next = await world.join(provider, 'site-1');
    expect((await first.refusal('reportProvisioned', provisioned(id, fencingToken))).status).toBe(
      'UNAUTHENTICATED',
    );
    expect(await next.offered()).toEqual([]);
  });
});
