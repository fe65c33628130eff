/** The SDK against the real door: what an agent of the contract does from its join token to an empty fleet. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent } from '../../src/agent/sdk/agent';
import { AgentLog } from '../../src/agent/sdk/agent-log';
import {
  ProviderError,
  type InfraProvider,
  type InventoryMachine,
  type ProvisionedMachine,
  type Work,
} from '../../src/agent/sdk/infra-provider';
import { createProviderWorld, type ProviderWorld, type TestProvider } from '../support/provider-world';
import { eventually } from '../support/reconcile-world';

jest.setTimeout(60_000);

/** A fleet that outlives its agents. Makes one machine per name, however often it is asked. */
class MemoryProvider implements InfraProvider {
  readonly machines = new Map<string, InventoryMachine>();
  /** Of machines whose making never ends by itself. */
  readonly stuck = new Set<string>();
  refuse: ProviderError | undefined;

  async provision({ request, signal, progress }: Work): Promise<ProvisionedMachine> {
    if (this.refuse !== undefined) {
      throw this.refuse;
    }
    const machineRef = request.machineRef ?? request.name;
    const made = this.machines.get(machineRef) ?? {
      machineRef,
      machineId: randomUUID(),
      addresses: ['10.1.0.1'],
    };
    this.machines.set(machineRef, made);
    await progress('create', 1, 2, 'made', machineRef);
    if (this.stuck.has(request.name)) {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    }
    return made;
  }

  deprovision({ request }: Work): Promise<void> {
    this.machines.delete(request.machineRef ?? request.name);
    return Promise.resolve();
  }

  list(): Promise<readonly InventoryMachine[]> {
    return Promise.resolve([...this.machines.values()]);
  }
}

let world: ProviderWorld;
let provider: TestProvider;
let fleet: MemoryProvider;
let dir: string;
const running: Agent[] = [];
beforeAll(async () => {
  world = await createProviderWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  provider = await world.provider(await world.tenant('tenant'));
  fleet = new MemoryProvider();
  dir = mkdtempSync(path.join(tmpdir(), 'quorate-agent-'));
  writeFileSync(path.join(dir, 'ca.pem'), await world.ca.caPem());
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.stop()));
  rmSync(dir, { recursive: true });
  expect(world.faults.splice(0)).toEqual([]);
});

function startAgent(name = 'site-1', joinToken = provider.joinToken): Agent {
  const agent = new Agent({
    provider: fleet,
    endpoint: world.endpoint,
    caFile: path.join(dir, 'ca.pem'),
    joinToken,
    name,
    softwareVersion: '1.0.0',
    stateDir: path.join(dir, name),
    log: new AgentLog(() => undefined),
    drainMs: 200,
  });
  running.push(agent);
  agent.start();
  return agent;
}

const phase = (id: string, wanted: string): Promise<true> =>
  eventually(`${id} is ${wanted}`, async () => (await world.requestRow(id))?.['phase'] === wanted, 30_000);

it('makes what is asked for, several at once, and destroys it behind the gate', async () => {
  const ids = [await world.request(provider), await world.request(provider), await world.request(provider)];
  startAgent();
  for (const id of ids) {
    await phase(id, 'Provisioned');
  }
  expect(await world.machines(provider)).toHaveLength(3);
  expect(fleet.machines.size).toBe(3);
  await world.sql(
    `UPDATE machine_requests SET deprovision_requested_at = now(), gate_opened_at = now() WHERE provider_id = $1`,
    [provider.id],
  );
  for (const id of ids) {
    await phase(id, 'Deprovisioned');
  }
  expect(fleet.machines.size).toBe(0);
});

it('says why it could not, and whether it makes sense to try again', async () => {
  fleet.refuse = new ProviderError('QUOTA_EXCEEDED', 'no room', { retryable: false });
  const id = await world.request(provider);
  startAgent();
  await phase(id, 'Failed');
  expect(await world.requestRow(id)).toMatchObject({
    next_attempt_at: null,
    last_error: { code: 'QUOTA_EXCEEDED', message: 'no room' },
  });
});

it('goes on with the machine that a stopped agent began, and makes no second one', async () => {
  const id = await world.request(provider);
  const name = String((await world.requestRow(id))?.['name']);
  fleet.stuck.add(name);
  const first = startAgent('site-1');
  await eventually(
    'it has begun',
    async () => (await world.requestRow(id))?.['provider_machine_ref'] === name,
  );
  await first.stop();
  const begun = fleet.machines.get(name);
  fleet.stuck.clear();
  await world.lapse(id);
  startAgent('site-2');
  await phase(id, 'Provisioned');
  expect([...fleet.machines.values()]).toEqual([begun]);
  expect(await world.requestRow(id)).toMatchObject({ machine_id: begun?.machineId });
});

it('keeps its identity over a restart, and its key to itself', async () => {
  const first = startAgent();
  const heartbeat = () =>
    eventually('it lives', async () => {
      const rows = await world.sql<{ id: string; last_heartbeat_at: Date | null }>(
        `SELECT id, last_heartbeat_at FROM provider_agents WHERE provider_id = $1`,
        [provider.id],
      );
      return rows[0]?.last_heartbeat_at === null ? undefined : rows[0];
    });
  const before = await heartbeat();
  await first.stop();
  const stateDir = path.join(dir, 'site-1');
  expect(existsSync(stateDir)).toBe(true);
  const modes = readdirSync(stateDir).map((file) => statSync(path.join(stateDir, file)).mode & 0o077);
  expect(modes.every((mode) => mode === 0)).toBe(true);
  await world.sql(`UPDATE provider_agents SET last_heartbeat_at = NULL WHERE provider_id = $1`, [
    provider.id,
  ]);
  startAgent('site-1', 'qj_no-longer-valid');
  expect((await heartbeat()).id).toBe(before.id);
});
