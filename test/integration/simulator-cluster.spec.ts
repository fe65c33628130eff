import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { json } from 'node:stream/consumers';
import type { SecretsBundle } from '../../src/domain/machine-config/secrets-bundle';
import { CertificateAuthority } from '../../src/infrastructure/pki/certificate-authority';
import type { MachineView } from '../../src/simulator/control-api/control-api-types';
import type { SimulatedDataCenter } from '../../src/simulator/simulated-data-center';
import {
  newSecrets,
  renderConfig,
  startDataCenter,
  TALOS_VERSION,
  TalosCaller,
  temporaryDirectory,
  until,
} from '../support/simulated-cloud';

jest.setTimeout(60_000);

let state: ReturnType<typeof temporaryDirectory>;
let cloud: SimulatedDataCenter;
let secrets: SecretsBundle;
let callers: TalosCaller[] = [];

beforeAll(async () => {
  secrets = await newSecrets();
});
beforeEach(async () => {
  state = temporaryDirectory();
  cloud = await startDataCenter(state.dir);
});
afterEach(async () => {
  for (const caller of callers) {
    caller.close();
  }
  callers = [];
  await cloud.stop();
  state.remove();
});

async function add(ref: string): Promise<MachineView> {
  const { machine } = await cloud.put(ref, { talosVersion: TALOS_VERSION });
  await until(`${ref} in maintenance`, async () => cloud.find(ref)?.state === 'maintenance');
  return machine;
}

function keep(caller: TalosCaller): TalosCaller {
  callers.push(caller);
  return caller;
}

/** A machine with its config applied, and a caller that it accepts. */
async function addConfigured(
  ref: string,
  role: 'control-plane' | 'worker' = 'control-plane',
): Promise<TalosCaller> {
  const view = await add(ref);
  const config = renderConfig(secrets, ref, { role, discoveryEndpoint: cloud.discoveryEndpoint });
  await keep(TalosCaller.insecure(view)).apply(config);
  return keep(await TalosCaller.secure(view, secrets));
}

async function addControlPlanes(): Promise<TalosCaller[]> {
  const nodes = await Promise.all(['cp-1', 'cp-2', 'cp-3'].map((ref) => addConfigured(ref)));
  await until('etcd waits', async () => (await nodes[0]!.services()).etcd === 'Preparing');
  await nodes[0]!.bootstrap();
  await Promise.all(nodes.map((node, i) => until(`cp-${i + 1} ready`, () => isReady(node))));
  return nodes;
}

async function isReady(node: TalosCaller): Promise<boolean> {
  const { stage, ready } = await node.status();
  return stage === 'running' && ready;
}

async function voters(node: TalosCaller): Promise<string[]> {
  return (await node.members())
    .filter((member) => !member.isLearner)
    .map((member) => member.hostname)
    .sort();
}

/** What the Kubernetes API of one control plane lists, asked as its administrator. */
async function kubernetesNodes({ kubernetesEndpoint }: MachineView): Promise<string[]> {
  const ca = await CertificateAuthority.load(secrets.certs.k8s);
  const now = new Date();
  const admin = await ca.issue({
    commonName: 'admin',
    organizations: ['system:masters'],
    usage: 'client',
    now,
    ttlMs: 60_000,
  });
  const options = {
    ca: secrets.certs.k8s.crt,
    cert: admin.crt,
    key: admin.key,
    agent: false,
    servername: 'orders.clusters.example',
  };
  const [response] = (await once(
    https.get(`https://${kubernetesEndpoint}/api/v1/nodes`, options),
    'response',
  )) as [IncomingMessage];
  const list = (await json(response)) as { items: { metadata: { name: string } }[] };
  return list.items.map((item) => item.metadata.name).sort();
}

test('a machine without a config is in maintenance mode, open to everybody and good for little', async () => {
  const caller = keep(TalosCaller.insecure(await add('m-1')));
  await expect(caller.status()).resolves.toEqual({ stage: 'maintenance', ready: true, unmet: [] });
  await expect(caller.version()).resolves.toEqual({ tag: `v${TALOS_VERSION}`, platform: 'simulated' });
  await expect(caller.reboot()).rejects.toMatchObject({ code: 7, details: 'not authorized' });
  await expect(caller.apply('machine: {')).rejects.toMatchObject({ code: 3 });
});

test('maintenance mode up to 1.12 does not know Version', async () => {
  const { machine } = await cloud.put('old', { talosVersion: 'v1.12.4' });
  const caller = keep(TalosCaller.insecure(machine));
  await until('maintenance', async () => (await caller.status()).stage === 'maintenance');
  await expect(caller.version()).rejects.toMatchObject({
    code: 12,
    details: 'API is not implemented in maintenance mode',
  });
});

test('the life of a cluster: three control planes and a worker, from nothing to ready', async () => {
  const nodes = await addControlPlanes();
  await expect(voters(nodes[1]!)).resolves.toEqual(['cp-1', 'cp-2', 'cp-3']);
  const worker = await addConfigured('worker-1', 'worker');
  await until('worker ready', () => isReady(worker));
  await expect(worker.members()).rejects.toMatchObject({ code: 12 });
  const members = (await nodes[2]!.list('cluster', 'Members.cluster.talos.dev')).sort();
  expect(members).toEqual(['cp-1', 'cp-2', 'cp-3', 'worker-1']);
  await expect(nodes[0]!.list('k8s', 'StaticPodStatuses.kubernetes.talos.dev')).resolves.toHaveLength(3);
  await expect(kubernetesNodes(cloud.find('cp-2')!)).resolves.toEqual(members);
  const node = await worker.get<{ nodeReady: boolean }>(
    'k8s',
    'NodeStatuses.kubernetes.talos.dev',
    'worker-1',
  );
  expect(node.nodeReady).toBe(true);
});

test('a control plane waits for its bootstrap, says so, and takes only one', async () => {
  const node = await addConfigured('cp-1');
  await until('etcd waits', async () => (await node.services()).etcd === 'Preparing');
  await expect(node.status()).resolves.toEqual({
    stage: 'booting',
    ready: false,
    unmet: ['services', 'staticPods', 'nodeReady'],
  });
  await node.bootstrap();
  await until('ready', () => isReady(node));
  await expect(node.bootstrap()).rejects.toMatchObject({
    code: 6,
    details: 'etcd data directory is not empty',
  });
});

test('two bootstraps make two etcd clusters, as in reality', async () => {
  // With some latency, so that the second call comes before the machine has found the first's cluster and joined it.
  await cloud.stop();
  cloud = await startDataCenter(state.dir, { latencyMs: 300 });
  const [a, b] = [await addConfigured('cp-1'), await addConfigured('cp-2')];
  for (const node of [a, b]) {
    await until('etcd waits', async () => (await node.services()).etcd === 'Preparing');
  }
  await Promise.all([a.bootstrap(), b.bootstrap()]);
  for (const node of [a, b]) {
    await until('running', () => isReady(node));
  }
  await expect(voters(a)).resolves.toEqual(['cp-1']);
  await expect(voters(b)).resolves.toEqual(['cp-2']);
});

test('the client certificate decides: its CA, its only use, its roles', async () => {
  const view = await add('cp-1');
  await keep(TalosCaller.insecure(view)).apply(renderConfig(secrets, 'cp-1'));
  const admin = keep(await TalosCaller.secure(view, secrets));
  await until('apid', () => admin.version());
  const reader = keep(await TalosCaller.secure(view, secrets, ['os:reader']));
  await expect(reader.version()).resolves.toMatchObject({ tag: `v${TALOS_VERSION}` });
  await expect(reader.bootstrap()).rejects.toMatchObject({ code: 7, details: 'not authorized' });
  await expect(reader.get('config', 'MachineConfigs.config.talos.dev', 'v1alpha1')).rejects.toMatchObject({
    code: 7,
  });
  await expect(
    keep(await TalosCaller.secure(view, secrets, ['os:admin'], 'both')).version(),
  ).rejects.toMatchObject({ code: 14 });
  await expect(keep(TalosCaller.insecure(view)).version()).rejects.toMatchObject({ code: 14 });
  const strangers = { ...secrets, certs: { ...secrets.certs, os: (await newSecrets()).certs.os } };
  await expect(keep(await TalosCaller.secure(view, strangers)).version()).rejects.toMatchObject({ code: 14 });
});

test('a member leaves, its machine is reset, and it comes back in maintenance mode', async () => {
  const nodes = await addControlPlanes();
  await nodes[2]!.leave();
  await expect(voters(nodes[0]!)).resolves.toEqual(['cp-1', 'cp-2']);
  await nodes[2]!.reset(['STATE', 'EPHEMERAL'], false);
  await until('maintenance', async () => cloud.find('cp-3')?.state === 'maintenance');
  await nodes[0]!.reset([], true);
  await until('gone', async () => cloud.find('cp-1')?.state === 'stopped');
  await until('one left', async () => (await voters(nodes[1]!)).join() === 'cp-2');
  await expect(nodes[1]!.list('cluster', 'Members.cluster.talos.dev')).resolves.toEqual(
    expect.not.arrayContaining(['cp-1']),
  );
});

test('without a majority nothing is decided; with it again, everything is', async () => {
  const nodes = await addControlPlanes();
  await cloud.setFault('cp-2', { kind: 'die' });
  await expect(voters(nodes[0]!)).resolves.toHaveLength(3);
  await cloud.setFault('cp-3', { kind: 'die' });
  await expect(nodes[0]!.members()).rejects.toMatchObject({ code: 14 });
  await until('not ready', async () => (await nodes[0]!.status()).unmet.includes('services'));
  await cloud.setFault('cp-3', { kind: 'none' });
  await until('ready again', () => isReady(nodes[0]!));
  const dead = (await nodes[0]!.members()).find((member) => member.hostname === 'cp-2');
  await nodes[0]!.removeMember(dead!.id);
  await expect(voters(nodes[2]!)).resolves.toEqual(['cp-1', 'cp-3']);
});

test('after a restart of the data centre every machine is where and what it was', async () => {
  const nodes = await addControlPlanes();
  const before = cloud
    .list()
    .map(({ ref, talosEndpoint, kubernetesEndpoint }) => ({ ref, talosEndpoint, kubernetesEndpoint }));
  const members = (await nodes[0]!.members()).map((member) => member.id);
  await cloud.stop();
  cloud = await startDataCenter(state.dir, {
    discoveryPort: Number(new URL(cloud.discoveryEndpoint).port) || 0,
  });
  expect(cloud.list()).toMatchObject(before);
  await Promise.all(nodes.map((node, i) => until(`cp-${i + 1} ready`, () => isReady(node))));
  expect((await nodes[0]!.members()).map((member) => member.id)).toEqual(members);
});

test('injected faults: unreachable, hang, slow and reject-config, and back', async () => {
  const view = await add('m-1');
  const caller = keep(TalosCaller.insecure(view));
  await cloud.setFault('m-1', { kind: 'reject-config' });
  await expect(caller.apply(renderConfig(secrets, 'm-1'))).rejects.toMatchObject({ code: 3 });
  await cloud.setFault('m-1', { kind: 'unreachable' });
  await expect(caller.version()).rejects.toMatchObject({ code: 14 });
  await cloud.setFault('m-1', { kind: 'none' });
  await until('reachable', () => caller.version());
  await cloud.setFault('m-1', { kind: 'hang' });
  const answered = caller.version().then(
    () => true,
    () => true,
  );
  await expect(
    Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 150, false))]),
  ).resolves.toBe(false);
  await cloud.setFault('m-1', { kind: 'slow', delayMs: 200 });
  const started = Date.now();
  await caller.version();
  expect(Date.now() - started).toBeGreaterThanOrEqual(190);
});
