import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import type {
  MachineList,
  MachineView,
  SimulatorInfo,
} from '../../src/simulator/control-api/control-api-types';
import {
  newSecrets,
  renderConfig,
  TALOS_VERSION,
  TalosCaller,
  temporaryDirectory,
  until,
} from '../support/simulated-cloud';

jest.setTimeout(120_000);

const root = path.resolve(__dirname, '../..');
/** `npm test` has built it. */
const main = path.join(process.env.QUORATE_DIST ?? path.join(root, 'dist'), 'simulator', 'main.js');
const token = 'process-token';

let state: ReturnType<typeof temporaryDirectory>;
let ports: number[];
let child: ChildProcess;

beforeEach(async () => {
  state = temporaryDirectory();
  ports = [await freePort(), await freePort()];
  await start();
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  state.remove();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function start(): Promise<void> {
  child = fork(main, [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      SIMULATOR_STATE_DIR: path.join(state.dir, 'simulator'),
      SIMULATOR_TOKEN: token,
      SIMULATOR_PORT: String(ports[0]),
      SIMULATOR_DISCOVERY_PORT: String(ports[1]),
      SIMULATOR_ETCD: 'modelled',
      SIMULATOR_LATENCY_MS: '20',
    },
  });
  await until('the control API answers', async () => (await request('GET', '/')).status === 200);
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- what the API answers is the caller's to know
async function request<T>(
  method: string,
  target: string,
  body?: unknown,
  bearer = token,
): Promise<{ status: number; body: T }> {
  const response = await fetch(`http://127.0.0.1:${ports[0]}${target}`, {
    method,
    headers: { authorization: `Bearer ${bearer}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
}

async function machineIn(ref: string, wanted: string): Promise<MachineView> {
  return until(`${ref} ${wanted}`, async () => {
    const { body } = await request<MachineView>('GET', `/machines/${ref}`);
    return body.state === wanted && body;
  });
}

test('the control API: idempotent by ref, separate by site, closed to strangers', async () => {
  const body = {
    requestId: 'r-1',
    machineId: 'u-1',
    site: 'north',
    cpus: 2,
    memoryBytes: 4e9,
    diskBytes: 2e10,
    talosVersion: TALOS_VERSION,
    schematicId: 's',
  };
  const created = await request<MachineView>('PUT', '/machines/a%2Fb', body);
  expect(created).toMatchObject({
    status: 201,
    body: { ref: 'a/b', machineId: 'u-1', requestId: 'r-1', site: 'north', addresses: ['127.0.0.1'] },
  });
  const again = await request<MachineView>('PUT', '/machines/a%2Fb', body);
  expect(again.status).toBe(200);
  expect(again.body.talosEndpoint).toBe(created.body.talosEndpoint);
  await request('PUT', '/machines/c', { talosVersion: TALOS_VERSION, site: 'south' });
  const { body: list } = await request<MachineList>('GET', '/machines?site=south');
  expect(list.machines.map(({ ref }) => ref)).toEqual(['c']);
  expect((await request('GET', '/machines', undefined, 'wrong')).status).toBe(401);
  expect((await request('PUT', '/machines/d', { talosVersion: 'latest' })).status).toBe(400);
  expect((await request('PUT', '/faults', { kind: 'hang', machine: 'none' })).status).toBe(404);
  expect((await request('DELETE', '/machines/a%2Fb')).status).toBe(204);
  expect((await request('DELETE', '/machines/a%2Fb')).status).toBe(204);
  expect((await request('GET', '/machines/a%2Fb')).status).toBe(404);
});

test('the command for people adds and lists machines', async () => {
  writeFileSync(
    path.join(state.dir, 'simulator.json'),
    JSON.stringify({ url: `http://127.0.0.1:${ports[0]}`, token }),
  );
  const run = async (...args: string[]): Promise<string> => {
    const env = { ...process.env, QUORATE_DATA_DIR: state.dir };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [path.join(root, 'tools/simulator.mjs'), ...args],
      { env },
    );
    return stdout;
  };
  await run('machines', 'add', '--uuid', 'lab-1', '--site', 'demo-lab');
  expect(await run('machines', 'list', '--site', 'demo-lab')).toMatch(/lab-1 .*demo-lab/);
  await run('faults', 'set', 'die', '--machine', 'lab-1');
  expect(await run('machines', 'list')).toMatch(/lab-1 .*stopped/);
});

test('a cluster survives the SIGKILL of its data centre', async () => {
  const secrets = await newSecrets();
  const { body: info } = await request<SimulatorInfo>('GET', '/');
  await request('PUT', '/machines/cp-1', { talosVersion: TALOS_VERSION });
  const view = await machineIn('cp-1', 'maintenance');
  const visitor = TalosCaller.insecure(view);
  await visitor.apply(renderConfig(secrets, 'cp-1', { discoveryEndpoint: info.discoveryEndpoint }));
  visitor.close();
  const admin = await TalosCaller.secure(view, secrets);
  const ready = (): Promise<unknown> =>
    until('ready', async () => {
      const { stage, ready: isReady } = await admin.status();
      return stage === 'running' && isReady;
    });
  await until('etcd waits', async () => (await admin.services()).etcd === 'Preparing');
  await admin.bootstrap();
  await ready();
  const [member] = await admin.members();

  child.kill('SIGKILL');
  await once(child, 'exit');
  await start();
  await ready();
  expect((await admin.members())[0]?.id).toBe(member?.id);
  admin.close();
});

test('it ends with whoever started it, and on SIGTERM', async () => {
  child.disconnect();
  await expect(once(child, 'exit')).resolves.toEqual([0, null]);
  await start();
  child.kill('SIGTERM');
  await expect(once(child, 'exit')).resolves.toEqual([0, null]);
});
