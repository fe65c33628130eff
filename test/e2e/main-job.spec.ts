/** The main job as a tenant does it: the CLI, a template, a kubeconfig, a Kubernetes client; and what a tenant must not see. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { parse } from 'yaml';
import { Installation, READY_MS } from './support/installation';

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.start();
}, READY_MS);
afterAll(() => installation.remove(), READY_MS);

interface Kubeconfig {
  readonly clusters: {
    cluster: { server: string; 'certificate-authority-data': string; 'tls-server-name': string };
  }[];
  readonly users: { user: { 'client-certificate-data': string; 'client-key-data': string } }[];
}

const pem = (base64: string): Buffer => Buffer.from(base64, 'base64');

/** What any Kubernetes client does with a kubeconfig. */
function ask(
  file: string,
  path: string,
): Promise<{ status: number; body: { items: { metadata: { name: string; namespace?: string } }[] } }> {
  const { clusters, users } = parse(readFileSync(file, 'utf8')) as Kubeconfig;
  const [{ cluster }, { user }] = [clusters[0]!, users[0]!];
  return new Promise((resolve, reject) => {
    request(
      `${cluster.server}${path}`,
      {
        ca: pem(cluster['certificate-authority-data']),
        cert: pem(user['client-certificate-data']),
        key: pem(user['client-key-data']),
        servername: cluster['tls-server-name'],
        headers: { accept: 'application/json' },
      },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) as never });
        });
      },
    )
      .on('error', reject)
      .end();
  });
}

/** Runs the real kubectl where there is one; the same questions are asked without it too. */
function kubectl(file: string, ...args: string[]): string | undefined {
  try {
    return execFileSync('kubectl', ['--kubeconfig', file, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      process.stderr.write('kubectl is not on PATH: its part of this test did not run\n');
      return undefined;
    }
    throw error;
  }
}

test.each([
  { template: 'templates/managed-xs.yaml', cluster: 'demo-xs', machines: 1 },
  { template: 'templates/managed-ha.yaml', cluster: 'demo-ha', machines: 3 },
])(
  '$template becomes a cluster of $machines that Kubernetes clients can use',
  async ({ template, cluster, machines }) => {
    const sync = await installation.cli('template', 'sync', '-f', template, '--wait');
    expect(sync).toMatchObject({ code: 0 });

    const file = join(installation.dir, `${cluster}.kubeconfig`);
    expect(await installation.cli('cluster', 'kubeconfig', cluster, '--file', file)).toMatchObject({
      code: 0,
    });
    expect(statSync(file).mode & 0o077).toBe(0);

    const nodes = await ask(file, '/api/v1/nodes');
    expect({ status: nodes.status, nodes: nodes.body.items.length }).toEqual({
      status: 200,
      nodes: machines,
    });
    const pods = await ask(file, '/api/v1/namespaces/kube-system/pods');
    const servers = pods.body.items.filter((pod) => pod.metadata.name.startsWith('kube-apiserver-'));
    expect(servers).toHaveLength(machines);

    const table = kubectl(file, 'get', 'nodes', '-o', 'wide');
    expect(table?.match(/\bReady\b.*control-plane/g)?.length ?? machines).toBe(machines);
    expect(kubectl(file, 'get', 'pods', '-n', 'kube-system') ?? 'kube-apiserver-').toContain(
      'kube-apiserver-',
    );
  },
  2 * READY_MS,
);

test('nothing that the tenant can read names the hidden provider, its machines or where they are', async () => {
  const machines = await installation.cloudMachines('platform');
  const endpoints = await installation.sql<{
    id: string;
    talos_endpoint: string;
    kubernetes_endpoint: string;
  }>('SELECT id, talos_endpoint, kubernetes_endpoint FROM machines');
  const [provider] = await installation.sql<{ id: string }>('SELECT id FROM providers WHERE hidden');
  const secrets = [
    provider!.id,
    ...machines.map((m) => m.machineId),
    ...endpoints.flatMap((m) => [m.id, m.talos_endpoint, m.kubernetes_endpoint]),
  ];
  expect(secrets.length).toBeGreaterThan(8);
  const paths = [
    '/clusters',
    '/clusters/demo-ha',
    '/clusters/demo-ha/machines',
    '/clusters/demo-ha/explain',
    '/machines',
    '/providers',
    '/operations',
    '/events',
    '/machine-classes',
  ];
  for (const path of paths) {
    const { status, body } = await installation.api(`/tenants/demo${path}`);
    expect({ path, status }).toEqual({ path, status: 200 });
    const text = JSON.stringify(body);
    expect({ path, leaks: secrets.filter((secret) => text.includes(secret)) }).toEqual({ path, leaks: [] });
  }
});

test('a template that is wrong is refused with place and remedy, and changes nothing', async () => {
  const file = join(installation.dir, 'wrong.yaml');
  writeFileSync(
    file,
    'kind: Cluster\nname: wrong\ntalos: { version: v1.8.0 }\nkubernetes: { version: v1.31.1 }\n---\nkind: ControlPlane\nmanaged: { enabled: true, size: huge }\n',
  );
  const { code, stdout, stderr } = await installation.cli('template', 'sync', '-f', file);
  expect({ code: code > 0, stdout }).toEqual({ code: true, stdout: '' });
  expect(stderr).toMatch(/wrong\.yaml:7:\d+.*huge/);
  expect((await installation.api('/tenants/demo/clusters/wrong')).status).toBe(404);
});
