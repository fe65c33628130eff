import { aCluster, later, T0, type SnapshotBuilder } from '../../../test/support/a-cluster';
import { BOOTSTRAP_SETTLE_MS } from './plan-bootstrap';
import { CONFIG_SETTLE_MS, REJECTED_AGAIN_MS } from './plan-machine-configs';
import { planCluster } from './plan-cluster';
import { RESET_DEADLINE_MS } from './plan-machine-end';

/** `Type target` of each step, in order. */
const stepsOf = (given: SnapshotBuilder): string[] =>
  planCluster(given.build()).steps.map((s) => `${s.type} ${s.target}`);
const readyOf = (given: SnapshotBuilder): string => {
  const ready = planCluster(given.build()).conditions.find((c) => c.type === 'Ready');
  return `${ready?.status} ${ready?.reason}`;
};

interface Row {
  name: string;
  given: SnapshotBuilder;
  steps: string[];
}

describe('building a cluster', () => {
  test.each<Row>([
    {
      name: 'a new cluster asks for machines first and makes its secrets meanwhile',
      given: aCluster(3)
        .with({ hasSecrets: false })
        .set({ id: 'cps', name: 'control-planes', replicas: 3, requestSet: undefined }),
      steps: ['CreateRequestSet control-planes', 'CreateSecrets demo'],
    },
    {
      name: 'exactly as many requests as the tier has machines',
      given: aCluster(3).request('a'),
      steps: ['CreateRequests control-planes'],
    },
    {
      name: 'no request more when all are there',
      given: aCluster(3).request('a').request('b').request('c'),
      steps: [],
    },
    {
      name: 'a request that is being deprovisioned does not count',
      given: aCluster(2).request('a').request('b').leaving('b', { gateOpenedAt: T0, neverClaimed: false }),
      steps: ['CreateRequests control-planes'],
    },
    {
      name: "a failed request is the provider's to try again, and is not replaced",
      given: aCluster(1).request('a', { phase: 'Failed', neverClaimed: false }),
      steps: [],
    },
    {
      name: 'machines in maintenance mode get their config, all at once',
      given: aCluster(2).machine('a', 'maintenance').machine('b', 'maintenance'),
      steps: ['ApplyConfig a', 'ApplyConfig b'],
    },
    {
      name: 'no config without secrets',
      given: aCluster(1).with({ hasSecrets: false }).machine('a', 'maintenance'),
      steps: ['CreateSecrets demo'],
    },
    {
      name: 'a machine that has not answered gets nothing',
      given: aCluster(1).machine('a', 'new'),
      steps: [],
    },
    {
      name: 'a machine of another cluster gets nothing',
      given: aCluster(1).machine('a', 'foreign'),
      steps: [],
    },
    {
      name: 'an accepted config is not sent again while the machine may still be installing',
      given: aCluster(1)
        .at(later(CONFIG_SETTLE_MS - 1))
        .machine('a', 'wiped'),
      steps: [],
    },
    {
      name: 'a machine that still waits for a config after that gets it again',
      given: aCluster(1).at(later(CONFIG_SETTLE_MS)).machine('a', 'wiped'),
      steps: ['ApplyConfig a'],
    },
    {
      name: 'a changed config goes to the running machine',
      given: aCluster(1).with({ bootstrappedAt: T0 }).machine('a', 'ready', { desiredConfigHash: 'other' }),
      steps: ['ApplyConfig a'],
    },
    {
      name: 'a config that the machine refused is not sent again, and holds nobody else up',
      given: aCluster(2)
        .machine('a', 'maintenance', { configRejection: { hash: 'hash', message: 'no', at: T0 } })
        .machine('b', 'waiting'),
      steps: ['PinBootstrap b'],
    },
    {
      name: 'another config is sent at once',
      given: aCluster(1).machine('a', 'maintenance', {
        configRejection: { hash: 'older', message: 'no', at: T0 },
      }),
      steps: ['ApplyConfig a'],
    },
    {
      name: 'the same is tried again in the end',
      given: aCluster(1)
        .at(later(REJECTED_AGAIN_MS))
        .machine('a', 'maintenance', { configRejection: { hash: 'hash', message: 'no', at: T0 } }),
      steps: ['ApplyConfig a'],
    },
    {
      name: 'the first machine that waits for etcd is pinned',
      given: aCluster(3).machine('c', 'waiting').machine('b', 'waiting').machine('a', 'installing'),
      steps: ['PinBootstrap b'],
    },
    {
      name: 'only the pinned machine is bootstrapped',
      given: aCluster(2).with({ bootstrapMachineId: 'b' }).machine('a', 'waiting').machine('b', 'waiting'),
      steps: ['Bootstrap b'],
    },
    {
      name: 'while etcd starts, nothing is sent again',
      given: aCluster(1)
        .with({ bootstrapMachineId: 'a', bootstrapSentAt: T0 })
        .at(later(BOOTSTRAP_SETTLE_MS - 1))
        .machine('a', 'waiting'),
      steps: [],
    },
    {
      name: 'a machine that forgot the call is asked again',
      given: aCluster(1)
        .with({ bootstrapMachineId: 'a', bootstrapSentAt: T0 })
        .at(later(BOOTSTRAP_SETTLE_MS))
        .machine('a', 'waiting'),
      steps: ['Bootstrap a'],
    },
    {
      name: 'the pin holds while its machine is away',
      given: aCluster(2).with({ bootstrapMachineId: 'b' }).machine('a', 'waiting').machine('b', 'down'),
      steps: [],
    },
    {
      name: 'the pin moves only when its machine is gone for good',
      given: aCluster(2).with({ bootstrapMachineId: 'b' }).machine('a', 'waiting').machine('b', 'gone'),
      steps: ['PinBootstrap a'],
    },
    {
      name: 'and never when the call may have reached it: it could come back',
      given: aCluster(2)
        .with({ bootstrapMachineId: 'b', bootstrapSentAt: T0 })
        .machine('a', 'waiting')
        .machine('b', 'gone'),
      steps: [],
    },
    {
      name: 'unless it is destroyed for certain',
      given: aCluster(2)
        .with({ bootstrapMachineId: 'b', bootstrapSentAt: T0 })
        .machine('a', 'waiting')
        .request('c'),
      steps: ['PinBootstrap a'],
    },
    {
      name: 'a member list anywhere proves the bootstrap, even when the pinned machine is gone',
      given: aCluster(2).with({ bootstrapMachineId: 'b' }).machine('a', 'member').machine('b', 'gone'),
      steps: ['RecordBootstrapped a'],
    },
    {
      name: 'a bootstrapped cluster is never bootstrapped again',
      given: aCluster(2)
        .with({ bootstrapMachineId: 'b', bootstrappedAt: T0 })
        .machine('a', 'waiting')
        .machine('b', 'waiting'),
      steps: [],
    },
    {
      name: 'a named machine is allocated when it is free',
      given: aCluster(1)
        .set({ id: 'cps', name: 'control-planes', replicas: 2, sourceKind: 'machines' })
        .named('a', 'free')
        .named('b', 'taken'),
      steps: ['AllocateMachine a'],
    },
    {
      name: 'a settled cluster plans nothing',
      given: aCluster(1).with({ bootstrappedAt: T0 }).machine('a', 'ready'),
      steps: [],
    },
  ])('$name', ({ given, steps }) => {
    expect(stepsOf(given)).toEqual(steps);
  });

  test('a control plane never shrinks here; a worker set gives up what costs least', () => {
    const cluster = aCluster(1).with({ bootstrappedAt: T0 }).machine('a', 'ready').machine('b', 'ready');
    cluster.set({ id: 'workers', name: 'workers', role: 'worker', replicas: 1, sourceKind: 'class' });
    cluster.machine('w1', 'ready', { setId: 'workers' }).request('w2', { setId: 'workers' });
    expect(stepsOf(cluster)).toEqual(['RequestDeprovision w2']);
  });
});

describe('shrinking', () => {
  const workers = { id: 'workers', name: 'workers', role: 'worker', replicas: 0 } as const;
  const living = (): SnapshotBuilder => aCluster(1).with({ bootstrappedAt: T0 }).machine('a', 'ready');
  test.each<Row>([
    {
      name: 'a set that the template no longer names gives up its machines',
      given: living()
        .set({ ...workers, sourceKind: 'class', retired: true })
        .machine('w', 'ready', { setId: 'workers' }),
      steps: ['RequestDeprovision w'],
    },
    {
      name: 'a worker on its way out is reset before its gate opens',
      given: living()
        .set({ ...workers, sourceKind: 'class' })
        .machine('w', 'ready', { setId: 'workers' })
        .leaving('w'),
      steps: ['ResetMachine w'],
    },
    {
      name: 'a named worker that is no longer named is wiped',
      given: living()
        .set({ ...workers, sourceKind: 'machines' })
        .bare('w', 'ready', { setId: 'workers' }),
      steps: ['ResetMachine w'],
    },
    {
      name: 'and given back',
      given: living()
        .set({ ...workers, sourceKind: 'machines' })
        .bare('w', 'wiped', { setId: 'workers', resetSentAt: T0 }),
      steps: ['ReleaseMachine w'],
    },
    {
      name: 'an empty set that is no longer named is forgotten',
      given: living().set({ ...workers, sourceKind: 'class', retired: true }),
      steps: ['ForgetMachineSet workers'],
    },
    {
      name: 'an empty set that is still named stays',
      given: living().set({ ...workers, sourceKind: 'class' }),
      steps: [],
    },
  ])('$name', ({ given, steps }) => {
    expect(stepsOf(given)).toEqual(steps);
  });
});

describe('what is said about it', () => {
  const bootstrapped = { bootstrapMachineId: 'a', bootstrappedAt: T0 };
  test.each([
    { name: 'no machines yet', given: aCluster(3).request('a'), ready: 'False WaitingForMachines' },
    {
      name: 'the provider gave up',
      given: aCluster(1).request('a', { givenUp: true, phase: 'Failed' }),
      ready: 'False ProvisioningFailed',
    },
    {
      name: 'members missing',
      given: aCluster(2).with(bootstrapped).machine('a', 'ready').machine('b', 'waiting'),
      ready: 'False WaitingForMembers',
    },
    {
      name: 'no member answers',
      given: aCluster(1).with(bootstrapped).machine('a', 'down'),
      ready: 'Unknown MembershipUnknown',
    },
    {
      name: 'all is well',
      given: aCluster(2).with(bootstrapped).machine('a', 'ready').machine('b', 'ready'),
      ready: 'True ControlPlaneReady',
    },
  ])('$name: $ready', ({ given, ready }) => {
    expect(readyOf(given)).toBe(ready);
  });

  test('a cluster that was ready is Degraded, one that is being built is Provisioning', () => {
    const down = (wasReady: boolean): string =>
      planCluster(
        aCluster(1)
          .with({ ...bootstrapped, wasReady })
          .machine('a', 'down')
          .build(),
      ).state;
    expect([down(true), down(false)]).toEqual(['Degraded', 'Provisioning']);
  });

  test('an operation waits for the workers that can be had, and for no others', () => {
    const ready = (): SnapshotBuilder => aCluster(1).with(bootstrapped).machine('a', 'ready');
    const named = {
      id: 'w',
      name: 'w',
      role: 'worker',
      replicas: 1,
      sourceKind: 'machines',
      wantedMachineIds: ['m'],
    } as const;
    const made = { id: 'w', name: 'w', role: 'worker', replicas: 1, sourceKind: 'class' } as const;
    const complete = (given: SnapshotBuilder): boolean => planCluster(given.build()).complete;
    expect([
      complete(ready()),
      complete(ready().set(named).named('m', 'absent', 'w')),
      complete(ready().set(named).named('m', 'allocated', 'w').bare('m', 'installing', { setId: 'w' })),
      complete(ready().set(named).named('m', 'allocated', 'w').bare('m', 'ready', { setId: 'w' })),
      complete(ready().set(made).request('w1', { setId: 'w' })),
      complete(ready().set(made).machine('w1', 'ready', { setId: 'w' })),
    ]).toEqual([true, true, false, true, false, true]);
  });

  test('planning twice gives the same plan', () => {
    const snapshot = aCluster(3).machine('a', 'maintenance').machine('b', 'waiting').request('c').build();
    expect(planCluster(snapshot)).toEqual(planCluster(snapshot));
  });

  test('the tenant sees no id of a machine, only its request', () => {
    const { machines } = planCluster(aCluster(1).machine('a', 'ready').build());
    expect(machines).toEqual([
      {
        id: 'request-a',
        setName: 'control-planes',
        name: 'a',
        role: 'control-plane',
        managed: true,
        state: 'Running',
        ready: true,
        message: '',
      },
    ]);
  });
});

describe('taking a cluster apart', () => {
  const deleted = { deleteRequestedAt: T0 };
  const workers = {
    id: 'workers',
    name: 'workers',
    role: 'worker',
    replicas: 1,
    sourceKind: 'class',
  } as const;
  test.each<Row>([
    {
      name: 'requests are given up and running machines are reset, without etcd leave',
      given: aCluster(2).with(deleted).machine('a', 'ready').machine('b', 'ready'),
      steps: ['ResetMachine a', 'ResetMachine b', 'RequestDeprovision a', 'RequestDeprovision b'],
    },
    {
      name: 'workers go first',
      given: aCluster(1)
        .with(deleted)
        .set(workers)
        .machine('a', 'ready')
        .leaving('a')
        .machine('w', 'ready', { setId: 'workers' })
        .leaving('w'),
      steps: ['ResetMachine w'],
    },
    {
      name: 'a request that nobody claimed is forgotten at once',
      given: aCluster(1).with(deleted).request('a').leaving('a'),
      steps: ['ForgetRequest a'],
    },
    {
      name: 'a claimed request without a machine is handed to the provider',
      given: aCluster(1)
        .with(deleted)
        .request('a', { neverClaimed: false, phase: 'Provisioning' })
        .leaving('a'),
      steps: ['OpenGate a'],
    },
    {
      name: 'a machine that never had a config needs no reset',
      given: aCluster(1).with(deleted).machine('a', 'maintenance').leaving('a'),
      steps: ['OpenGate a'],
    },
    {
      name: 'the gate stays shut until the reset is confirmed',
      given: aCluster(1).with(deleted).machine('a', 'down', { resetSentAt: T0 }).leaving('a'),
      steps: [],
    },
    {
      name: 'and opens when it is',
      given: aCluster(1).with(deleted).machine('a', 'wiped', { resetSentAt: T0 }).leaving('a'),
      steps: ['OpenGate a'],
    },
    {
      name: 'a machine that took its config just now may still be installing',
      given: aCluster(1)
        .with(deleted)
        .at(later(CONFIG_SETTLE_MS - 1))
        .machine('a', 'wiped')
        .leaving('a'),
      steps: [],
    },
    {
      name: 'an unreachable machine holds it shut',
      given: aCluster(1)
        .with(deleted)
        .at(later(RESET_DEADLINE_MS - 1))
        .machine('a', 'down')
        .leaving('a'),
      steps: [],
    },
    {
      name: 'but only until the deadline',
      given: aCluster(1).with(deleted).at(later(RESET_DEADLINE_MS)).machine('a', 'down').leaving('a'),
      steps: ['OpenGate a'],
    },
    {
      name: 'a machine that the provider lost does not hold it',
      given: aCluster(1).with(deleted).machine('a', 'gone').leaving('a'),
      steps: ['OpenGate a'],
    },
    {
      name: 'the provider is waited for',
      given: aCluster(1)
        .with(deleted)
        .machine('a', 'wiped', { resetSentAt: T0 })
        .leaving('a', { gateOpenedAt: T0 }),
      steps: [],
    },
    {
      name: 'what it destroyed is forgotten',
      given: aCluster(1)
        .with(deleted)
        .machine('a', 'gone')
        .leaving('a', { gateOpenedAt: T0, phase: 'Deprovisioned' }),
      steps: ['ForgetRequest a'],
    },
    {
      name: 'a named machine goes back to its owner',
      given: aCluster(1).with(deleted).bare('a', 'wiped', { resetSentAt: T0 }),
      steps: ['ReleaseMachine a'],
    },
    {
      name: 'affiliates go when the machines are gone',
      given: aCluster(1).with(deleted),
      steps: ['CleanAffiliates demo'],
    },
    { name: 'the rows go last', given: aCluster(1).with(deleted).cleaned(), steps: ['DeleteCluster demo'] },
    {
      name: 'nothing to clean without secrets',
      given: aCluster(1).with({ ...deleted, hasSecrets: false }),
      steps: ['DeleteCluster demo'],
    },
  ])('$name', ({ given, steps }) => {
    expect(stepsOf(given)).toEqual(steps);
  });

  test('the record says why a gate opened', () => {
    const [open] = planCluster(
      aCluster(1).with(deleted).at(later(RESET_DEADLINE_MS)).machine('a', 'down').leaving('a').build(),
    ).steps;
    expect(open).toMatchObject({ type: 'OpenGate', reason: 'ResetSkipped' });
  });
});
