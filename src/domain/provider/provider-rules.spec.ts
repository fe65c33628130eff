import { REQUEST_PHASES, type RequestPhase } from '../planner/cluster-snapshot';
import { checkProviderPatches } from './check-provider-patches';
import { chooseAction, type ClaimableView } from './choose-action';
import { judgeMachineClaim, type KnownMachine } from './judge-machine-claim';
import { judgeReport } from './judge-report';
import { planRetry } from './plan-retry';
import { nextPhase, REPORTS } from './request-phases';

const now = new Date('2027-01-01T12:00:00Z');
const at = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);

describe('what an agent may do with a request', () => {
  const nothing = {
    leaseExpiresAt: null,
    nextAttemptAt: null,
    deprovisionRequestedAt: null,
    gateOpenedAt: null,
  };
  const leased = { leaseExpiresAt: at(1) };
  const lapsed = { leaseExpiresAt: at(0) };
  const ending = { deprovisionRequestedAt: at(-60) };
  const gated = { ...ending, gateOpenedAt: at(-30) };

  test.each<[RequestPhase, Partial<ClaimableView>, ReturnType<typeof chooseAction>]>([
    ['Pending', {}, 'provision'],
    ['Claimed', leased, undefined],
    ['Claimed', lapsed, 'provision'],
    ['Provisioning', leased, undefined],
    ['Provisioning', lapsed, 'provision'],
    ['Failed', { nextAttemptAt: at(1) }, undefined],
    ['Failed', { nextAttemptAt: at(0) }, 'provision'],
    ['Failed', { nextAttemptAt: null }, undefined],
    ['Provisioned', {}, undefined],
    ['Joined', {}, undefined],
    ['Pending', ending, undefined],
    ['Provisioned', ending, undefined],
    ['Provisioned', { gateOpenedAt: at(-30) }, undefined],
    ['Pending', gated, 'deprovision'],
    ['Provisioned', gated, 'deprovision'],
    ['Joined', gated, 'deprovision'],
    ['Provisioning', { ...gated, ...leased }, undefined],
    ['Provisioning', { ...gated, ...lapsed }, 'deprovision'],
    ['Failed', { ...gated, nextAttemptAt: at(60) }, 'deprovision'],
    ['Deprovisioning', { ...gated, ...lapsed }, 'deprovision'],
    ['Deprovisioning', { ...gated, nextAttemptAt: at(60) }, undefined],
    ['Deprovisioning', { ...gated, nextAttemptAt: at(0) }, 'deprovision'],
    ['Deprovisioned', gated, undefined],
  ])('%s with %j: %s', (phase, more, action) => {
    expect(chooseAction({ ...nothing, phase, ...more }, now)).toBe(action);
  });

  test('whatever may be claimed has a phase to go to', () => {
    const views = REQUEST_PHASES.flatMap((phase) => [
      { ...nothing, phase },
      { ...nothing, ...gated, phase },
    ]);
    const claimed = views.flatMap((view) => {
      const action = chooseAction(view, now);
      return action === undefined ? [] : [nextPhase(view.phase, action, 'claim')];
    });
    expect(claimed).not.toContain(undefined);
  });
});

describe('whether a report counts', () => {
  const holder = { agentId: 'a', fencingToken: 7n };
  test.each([
    ['progress', 'Claimed', 'a', 7n, { is: 'counts', phase: 'Provisioning' }],
    ['provisioned', 'Provisioning', 'a', 7n, { is: 'counts', phase: 'Provisioned' }],
    ['provisioned', 'Provisioning', 'b', 7n, { is: 'stale' }],
    ['provisioned', 'Provisioning', 'a', 8n, { is: 'stale' }],
    ['provisioned', 'Provisioned', null, 7n, { is: 'repeated' }],
    ['provisioned', 'Failed', null, 7n, { is: 'stale' }],
    ['provisioned', 'Deprovisioning', 'a', 7n, { is: 'misplaced' }],
    ['failure', 'Provisioning', 'a', 7n, { is: 'counts', phase: 'Failed' }],
    ['failure', 'Failed', null, 7n, { is: 'repeated' }],
    ['failure', 'Deprovisioning', 'a', 7n, { is: 'counts', phase: 'Deprovisioning' }],
    ['deprovisioned', 'Deprovisioning', 'a', 7n, { is: 'counts', phase: 'Deprovisioned' }],
    ['deprovisioned', 'Deprovisioned', null, 7n, { is: 'repeated' }],
    ['deprovisioned', 'Provisioning', 'a', 7n, { is: 'misplaced' }],
    ['progress', 'Provisioned', null, 7n, { is: 'stale' }],
  ] as const)('%s in %s, lease of %s with token %s', (report, phase, leaseHolder, fencingToken, verdict) => {
    expect(judgeReport({ phase, leaseHolder, fencingToken }, holder, report)).toEqual(verdict);
  });

  test('no report leads out of the end', () => {
    expect(
      REPORTS.map((report) => nextPhase('Deprovisioned', 'deprovision', report)).every(
        (phase) => phase === undefined,
      ),
    ).toBe(true);
  });
});

test.each([
  ['the first failure', { attempt: 1 }, 5_000],
  ['the second', { attempt: 2 }, 10_000],
  ['the hundredth', { attempt: 100 }, 600_000],
  ['the provider asks for more', { attempt: 1, retryAfterSeconds: 90 }, 90_000],
  ['the provider asks for less', { attempt: 3, retryAfterSeconds: 1 }, 20_000],
  ['the provider asks for a year', { attempt: 1, retryAfterSeconds: 31_536_000 }, 3_600_000],
  ['it cannot work', { attempt: 1, retryable: false }, undefined],
  ['a machine cannot be destroyed', { attempt: 1, retryable: false, action: 'deprovision' }, 600_000],
] as const)('retry when %s', (_when, failure, delay) => {
  expect(planRetry({ action: 'provision', retryable: true, retryAfterSeconds: 0, ...failure })).toBe(delay);
});

describe('whether a request may have a machine', () => {
  const machine = { ref: 'vm-1', machineId: 'm1' };
  const row: KnownMachine = {
    machineId: 'm1',
    providerId: 'p',
    ref: 'vm-1',
    requestId: null,
    clusterId: null,
  };
  test.each<[string, KnownMachine[], boolean, ReturnType<typeof judgeMachineClaim>]>([
    ['nobody knows it', [], false, undefined],
    ['the inventory saw it first', [row], false, undefined],
    ['it was reported before', [{ ...row, requestId: 'r', clusterId: 'c' }], false, undefined],
    [
      'another request has it',
      [{ ...row, requestId: 'other', clusterId: 'c' }],
      false,
      'MACHINE_OF_OTHER_REQUEST',
    ],
    ['another request carries its reference', [], true, 'MACHINE_OF_OTHER_REQUEST'],
    ['another provider has it', [{ ...row, providerId: 'q', ref: 'x' }], false, 'MACHINE_OF_OTHER_PROVIDER'],
    ['it is a named machine of a cluster', [{ ...row, clusterId: 'c' }], false, 'MACHINE_IN_USE'],
    ['the reference had another id', [{ ...row, machineId: 'm2' }], false, 'MACHINE_IDENTITY_CHANGED'],
    ['the id had another reference', [{ ...row, ref: 'vm-2' }], false, 'MACHINE_IDENTITY_CHANGED'],
  ])('%s', (_when, known, otherRequestWithRef, refusal) => {
    expect(judgeMachineClaim({ requestId: 'r', providerId: 'p', machine, known, otherRequestWithRef })).toBe(
      refusal,
    );
  });
});

describe('patches of providers', () => {
  const codes = (content: string, managed: boolean): string[] =>
    checkProviderPatches([{ name: 'lb', content }], { role: 'worker', managed }).map((v) => v.code);

  test('may set what the machine needs', () => {
    expect(codes('machine:\n  network:\n    nameservers: [10.0.0.2]\n', true)).toEqual([]);
  });
  test('may not touch the cluster', () => {
    expect(codes('cluster:\n  token: abc.def\n', false)).toHaveLength(1);
    expect(codes('cluster:\n  discovery:\n    enabled: false\n', true)).toHaveLength(1);
  });
});
