import { execFileSync } from 'node:child_process';
import { findEtcd } from '../../src/simulator/etcd/real-etcd';
import {
  newSecrets,
  renderConfig,
  startDataCenter,
  TALOS_VERSION,
  TalosCaller,
  temporaryDirectory,
  until,
} from '../support/simulated-cloud';

jest.setTimeout(120_000);

// The machines are the same in both variants: what differs is who judges membership, and that is etcd itself here.
const etcd = findEtcd(process.env.ETCD_BIN);
const variant = etcd === undefined ? 'modelled' : 'real';

test(`a cluster on ${variant} etcd: joins as learners, survives a restart, loses and replaces a member`, async () => {
  if (etcd === undefined) {
    console.warn(
      'There is no etcd on the PATH (or in ETCD_BIN): this ran on modelled etcd, real etcd was NOT tested.',
    );
  }
  const state = temporaryDirectory();
  const secrets = await newSecrets();
  let cloud = await startDataCenter(state.dir, { etcd: variant });
  const refs = ['cp-1', 'cp-2', 'cp-3'];
  const nodes: TalosCaller[] = [];
  const ready = (i: number): Promise<boolean> =>
    until(
      `${refs[i]} ready`,
      async () => (await nodes[i]!.status()).ready && (await nodes[i]!.status()).stage === 'running',
      60_000,
    );
  const voters = async (i: number): Promise<string[]> =>
    (await nodes[i]!.members())
      .filter((member) => !member.isLearner)
      .map((member) => member.hostname)
      .sort();
  const configure = async (ref: string): Promise<void> => {
    await until('maintenance', async () => cloud.find(ref)?.state === 'maintenance');
    const caller = TalosCaller.insecure(cloud.find(ref)!);
    await caller.apply(renderConfig(secrets, ref, { discoveryEndpoint: cloud.discoveryEndpoint }));
    caller.close();
  };
  try {
    for (const ref of refs) {
      const { machine } = await cloud.put(ref, { talosVersion: TALOS_VERSION });
      await configure(ref);
      nodes.push(await TalosCaller.secure(machine, secrets));
    }
    await until('etcd waits', async () => (await nodes[0]!.services()).etcd === 'Preparing');
    await nodes[0]!.bootstrap();
    await Promise.all(refs.map((_, i) => ready(i)));
    await expect(voters(1)).resolves.toEqual(refs);

    const { port } = new URL(cloud.discoveryEndpoint);
    await cloud.stop();
    cloud = await startDataCenter(state.dir, { etcd: variant, discoveryPort: Number(port) });
    await Promise.all(refs.map((_, i) => ready(i)));

    await cloud.setFault('cp-3', { kind: 'die' });
    await until('two of three decide', async () => (await voters(0)).length === 3, 30_000);
    const dead = (await nodes[0]!.members()).find((member) => member.hostname === 'cp-3');
    await until('removed', async () => (await nodes[0]!.removeMember(dead!.id), true), 30_000);
    await cloud.remove('cp-3');
    const { machine } = await cloud.put('cp-3', { talosVersion: TALOS_VERSION });
    await configure('cp-3');
    nodes[2]!.close();
    nodes[2] = await TalosCaller.secure(machine, secrets);
    await ready(2);
    await expect(voters(0)).resolves.toEqual(refs);
    await nodes[1]!.leave();
    await until('left', async () => (await voters(0)).join() === 'cp-1,cp-3', 30_000);
  } finally {
    for (const node of nodes) {
      node.close();
    }
    await cloud.stop();
    state.remove();
  }
  // Modelled etcd has no processes, and the test then needs no `ps` either.
  await until('no process left behind', async () => variant === 'modelled' || processesOf(state.dir) === '');
});

/** What still runs on the data of this test. */
function processesOf(dir: string): string {
  const all = execFileSync('ps', ['-ww', '-eo', 'pid,args'], { encoding: 'utf8' });
  return all
    .split('\n')
    .filter((line) => line.includes(dir))
    .join('\n');
}
