import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Action, FailureCode } from '../../generated/proto/quorate/provider/v1/provider';
import { Agent, type AgentOptions } from './agent';
import { AgentLog } from './agent-log';
import {
  ProviderError,
  type InfraProvider,
  type InventoryMachine,
  type ProvisionedMachine,
  type Work,
} from './infra-provider';
import { FakeProviderService } from './provider-service.fake';
import { pause } from './wait';

jest.setTimeout(30_000);

/** Makes machines at once, unless a test puts something else in place. */
class FakeProvider implements InfraProvider {
  machines = new Map<string, InventoryMachine>();
  running = 0;
  mostRunning = 0;
  works: Work[] = [];
  during: (work: Work) => Promise<void> = async () => undefined;

  async provision(work: Work): Promise<ProvisionedMachine> {
    await this.track(work);
    const { id, name } = work.request;
    const machine = { machineRef: name, machineId: `machine-${id}`, addresses: ['127.0.0.1'], requestId: id };
    this.machines.set(name, machine);
    return machine;
  }

  async deprovision(work: Work): Promise<void> {
    await this.track(work);
    this.machines.delete(work.request.machineRef ?? work.request.name);
  }

  async list(): Promise<readonly InventoryMachine[]> {
    return [...this.machines.values()];
  }

  private async track(work: Work): Promise<void> {
    this.works.push(work);
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    try {
      await this.during(work);
    } finally {
      this.running -= 1;
    }
  }
}

let service: FakeProviderService;
let provider: FakeProvider;
let dir: string;
let lines: string[];
const agents: Agent[] = [];

function startAgent(options: Partial<AgentOptions> = {}): Agent {
  const agent = new Agent({
    provider,
    endpoint: service.endpoint,
    caFile: path.join(dir, 'ca.pem'),
    joinToken: service.joinToken,
    name: 'agent-1',
    softwareVersion: '0.0.0',
    stateDir: path.join(dir, 'state'),
    log: new AgentLog((line) => lines.push(line)),
    pollSeconds: 1,
    ...options,
  });
  agents.push(agent);
  agent.start();
  return agent;
}

async function until(what: () => boolean, seconds = 15): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!what()) {
    if (Date.now() > deadline) {
      throw new Error(`did not happen in ${seconds} s: ${String(what)}\n${lines.join('')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const never = (signal: AbortSignal) => pause(60_000, signal);

beforeEach(async () => {
  service = await FakeProviderService.create();
  await service.arrive();
  provider = new FakeProvider();
  dir = mkdtempSync(path.join(tmpdir(), 'quorate-agent-'));
  writeFileSync(path.join(dir, 'ca.pem'), service.caPem);
  lines = [];
});

afterEach(async () => {
  service.goAway();
  await Promise.all(agents.splice(0).map((agent) => agent.stop()));
  rmSync(dir, { recursive: true });
});

describe('registration', () => {
  it('keeps key and certificate where only its user reads them, and needs no second registration', async () => {
    const agent = startAgent();
    await until(() => service.heartbeats.length > 0 && service.inventories.length > 0);
    await agent.stop();
    const file = path.join(dir, 'state', 'identity.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain(service.joinToken);

    const before = service.heartbeats.length;
    startAgent();
    await until(() => service.heartbeats.length > before);
    expect(service.registrations).toBe(1);
  });

  it('says that the join token is refused, and does not hammer', async () => {
    startAgent({ joinToken: 'wrong-secret' });
    await until(() => lines.some((line) => line.includes('refuses the registration')));
    await pause(1_500, AbortSignal.timeout(900));
    expect(service.registrations).toBeLessThanOrEqual(2);
    expect(lines.join('')).not.toContain('wrong-secret');
  });

  it('registers again when the server knows its certificate no more', async () => {
    startAgent();
    await until(() => service.heartbeats.length > 0);
    service.forgetCertificates();
    await until(() => service.registrations === 2);
    service.ask('a');
    await until(() => service.provisioned.length === 1);
    expect(service.registrations).toBe(2);
  });

  it('registers again when its certificate is from another installation', async () => {
    const agent = startAgent();
    await until(() => service.heartbeats.length > 0);
    await agent.stop();
    service.goAway();
    service = await FakeProviderService.create();
    await service.arrive();
    writeFileSync(path.join(dir, 'ca.pem'), service.caPem);
    const file = path.join(dir, 'state', 'identity.json');
    const stored = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...stored, caPem: '' }));
    startAgent();
    await until(() => service.heartbeats.length > 0);
    expect(service.registrations).toBe(1);
  });

  it('renews its certificate before it ends', async () => {
    service.certificateTtlMs = 4_000;
    startAgent();
    await until(() => service.renewals >= 2);
    expect(service.registrations).toBe(1);
  });
});

describe('work', () => {
  it('provisions, and tells the reference early', async () => {
    provider.during = async ({ progress, request }) => progress('create', 1, 2, 'creating', request.name);
    startAgent();
    service.ask('a');
    await until(() => service.provisioned.length === 1);
    expect(service.provisioned[0]).toMatchObject({
      machineRef: 'name-a',
      machineId: 'machine-a',
      requestId: 'a',
      talosEndpoint: '',
    });
    expect(service.progress).toMatchObject([
      { step: 'create', stepIndex: 1, stepCount: 2, machineRef: 'name-a' },
    ]);
    expect(provider.works[0]!.request.shape).toEqual({
      cpus: 2,
      memoryBytes: 2 ** 32,
      diskBytes: 5 * 2 ** 32,
    });
  });

  it('deprovisions the machine that the request names', async () => {
    startAgent();
    service.ask('a', Action.ACTION_DEPROVISION, 'its-ref');
    await until(() => service.deprovisioned.length === 1);
    expect(provider.works[0]!.request.machineRef).toBe('its-ref');
  });

  it('works on no more requests at once than it may', async () => {
    provider.during = async () => pause(150, new AbortController().signal);
    startAgent({ maxInFlight: 2 });
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      service.ask(id);
    }
    await until(() => service.provisioned.length === 5);
    expect(provider.mostRunning).toBe(2);
  });

  it.each([
    [
      'a failure of the provider',
      new ProviderError('QUOTA_EXCEEDED', 'no more cores', { retryable: false, retryAfterSeconds: 7 }),
      {
        code: FailureCode.FAILURE_CODE_QUOTA_EXCEEDED,
        message: 'no more cores',
        retryable: false,
        retryAfterSeconds: 7,
      },
    ],
    [
      'an unforeseen error without its words',
      new Error('password=hunter2'),
      {
        code: FailureCode.FAILURE_CODE_INTERNAL,
        message: expect.not.stringMatching(/hunter2| at /),
        retryable: true,
      },
    ],
  ])('reports %s', async (_, error, report) => {
    provider.during = async () => {
      throw error;
    };
    startAgent();
    service.ask('a');
    await until(() => service.failures.length === 1);
    expect(service.failures[0]).toMatchObject(report);
  });

  it('does not hammer a server that offers what it then refuses', async () => {
    service.refusesClaims = true;
    service.ask('a');
    startAgent();
    await until(() => service.polls >= 2);
    const before = service.polls;
    await pause(1_000, AbortSignal.timeout(2_000));
    expect(service.polls - before).toBeLessThanOrEqual(3);
  });
});

describe('leases', () => {
  it('renews the lease while the work lasts', async () => {
    service.leaseSeconds = 1;
    provider.during = async ({ signal }) => pause(2_500, signal);
    startAgent();
    service.ask('a');
    await until(() => service.provisioned.length === 1);
    expect(service.leaseRenewals).toBeGreaterThanOrEqual(4);
    expect(provider.works).toHaveLength(1);
  });

  it('stops silently when a report is refused as stale', async () => {
    let reached = false;
    provider.during = async ({ progress }) => {
      service.stealLease('a');
      await progress('create', 1, 1, 'creating');
      reached = true;
    };
    startAgent();
    service.ask('a');
    await until(() => provider.works[0]?.signal.aborted === true);
    expect(reached).toBe(false);
    expect([service.provisioned, service.failures]).toEqual([[], []]);
  });

  it('stops when the renewal is refused', async () => {
    service.leaseSeconds = 1;
    service.refusesLeaseRenewals = true;
    provider.during = async ({ signal }) => never(signal);
    startAgent();
    service.ask('a');
    await until(() => provider.works[0]?.signal.aborted === true, 5);
    expect(service.failures).toEqual([]);
  });

  it('stops by its own clock when the server is away for longer than the lease', async () => {
    service.leaseSeconds = 2;
    provider.during = async ({ signal }) => never(signal);
    startAgent();
    service.ask('a');
    await until(() => provider.works.length === 1);
    const since = performance.now();
    service.goAway();
    await until(() => provider.works[0]!.signal.aborted);
    expect(performance.now() - since).toBeLessThan(2_500);
  });

  it('delivers its report after the server was away for less than the lease', async () => {
    provider.during = async () => {
      service.goAway();
    };
    startAgent();
    service.ask('a');
    await until(() => provider.machines.size === 1);
    await pause(1_000, AbortSignal.timeout(2_000));
    await service.arrive();
    await until(() => service.provisioned.length === 1);
    expect(provider.works).toHaveLength(1);
  });
});

describe('a server that is away', () => {
  it('is waited for without noise, from before the registration on', async () => {
    service.goAway();
    startAgent();
    await pause(2_500, AbortSignal.timeout(5_000));
    expect(lines.filter((line) => line.includes('cannot be reached'))).toHaveLength(1);
    expect(lines.length).toBeLessThan(4);
    await service.arrive();
    service.ask('a');
    await until(() => service.provisioned.length === 1);
  });
});

describe('stopping', () => {
  it('takes no new work and ends what is in flight by its report', async () => {
    let finish = (): void => undefined;
    provider.during = () => new Promise<void>((resolve) => (finish = resolve));
    const agent = startAgent();
    service.ask('a');
    await until(() => provider.works.length === 1);
    const stopped = agent.stop();
    service.ask('b');
    finish();
    await stopped;
    expect(service.provisioned.map(({ requestId }) => requestId)).toEqual(['a']);
    expect(provider.works).toHaveLength(1);
  });

  it('does not wait for ever, not even for a provider that is deaf', async () => {
    provider.during = () => new Promise<void>(() => undefined);
    const agent = startAgent({ drainMs: 200 });
    service.ask('a');
    await until(() => provider.works.length === 1);
    const since = performance.now();
    await agent.stop();
    expect(performance.now() - since).toBeLessThan(2_000);
    expect(provider.works[0]!.signal.aborted).toBe(true);
    expect(service.failures).toEqual([]);
  });
});
