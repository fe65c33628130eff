import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SimulatedDataCenter } from '../../../simulator/simulated-data-center';
import type { Work, WorkRequest } from '../../sdk/infra-provider';
import { SimulatedProvider } from './simulated-provider';

const request: WorkRequest = {
  id: 'request-1',
  name: 'quick-fox',
  shape: { cpus: 2, memoryBytes: 4 * 2 ** 30, diskBytes: 20 * 2 ** 30 },
  talosVersion: '1.11.0',
  schematicId: '',
  attempt: 1,
};

let dir: string;
let cloud: SimulatedDataCenter;
let provider: SimulatedProvider;
let steps: string[];

function workOf(changes: Partial<WorkRequest> = {}, signal = new AbortController().signal): Work {
  return {
    request: { ...request, ...changes },
    signal,
    progress: async (step, index, count, _message, machineRef) => {
      steps.push(`${index}/${count} ${step} ${machineRef}`);
    },
  };
}

function at(site: string, token = 'token'): SimulatedProvider {
  return new SimulatedProvider({ url: cloud.url, token, site, lookEveryMs: 10 });
}

beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'quorate-cloud-'));
  cloud = new SimulatedDataCenter({ stateDir: dir, token: 'token', latencyMs: 20, etcd: 'modelled' });
  await cloud.start();
  provider = at('lab');
  steps = [];
});

afterEach(async () => {
  await cloud.stop();
  rmSync(dir, { recursive: true });
});

it('makes a machine, tells its reference early and answers when its Talos API does', async () => {
  const machine = await provider.provision(workOf());
  expect(machine).toMatchObject({
    machineRef: 'quick-fox',
    requestId: 'request-1',
    addresses: ['127.0.0.1'],
    talosEndpoint: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
  });
  expect(steps).toEqual(['1/2 create-machine quick-fox', '2/2 boot quick-fox']);
  expect(cloud.find('quick-fox')?.state).toBe('maintenance');
});

it('adopts the machine of an earlier attempt', async () => {
  const first = await provider.provision(workOf());
  const second = await provider.provision(workOf({ machineRef: 'quick-fox', attempt: 2 }));
  expect(second).toEqual(first);
  expect(cloud.list()).toHaveLength(1);
});

it('neither adopts nor removes the machine of another site', async () => {
  await at('elsewhere').provision(workOf({ id: 'request-2' }));
  await expect(provider.provision(workOf())).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    retryable: false,
  });
  await provider.deprovision(workOf());
  expect(cloud.find('quick-fox')?.requestId).toBe('request-2');
});

it('lists the machines of its site, with the requests that they were made for', async () => {
  await at('elsewhere').provision(workOf({ id: 'request-2', name: 'slow-fox' }));
  await provider.provision(workOf());
  const machines = await provider.list(new AbortController().signal);
  expect(machines).toMatchObject([{ machineRef: 'quick-fox', requestId: 'request-1' }]);
});

it('removes a machine, also one that never was', async () => {
  await provider.provision(workOf());
  await provider.deprovision(workOf());
  await provider.deprovision(workOf());
  expect(cloud.list()).toEqual([]);
});

it('makes nothing more once its lease is lost', async () => {
  const lost = AbortSignal.abort(new Error('lost'));
  await expect(provider.provision(workOf({}, lost))).rejects.toThrow('lost');
  expect(cloud.list()).toEqual([]);
});

it('tells failures of the cloud as those of a dependency, without the token', async () => {
  const wrong = at('lab', 'wrong-token').provision(workOf());
  await expect(wrong).rejects.toMatchObject({ code: 'DEPENDENCY', retryable: true });
  await expect(wrong).rejects.not.toThrow('wrong-token');
  await expect(provider.provision(workOf({ talosVersion: 'nonsense' }))).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
  });
});
