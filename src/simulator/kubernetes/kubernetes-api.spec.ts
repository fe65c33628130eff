import { request } from 'node:https';
import { FakeClusterCa, type FakeIdentity } from './cluster-identity.fake';
import { hasKubectl, Kubectl } from './kubectl.fake';
import { startKubelet, type Kubelet } from './kubelet';
import { isJsonObject, listAt, textAt, type JsonObject } from './kube-object';
import { startKubernetesApi, type KubernetesApi } from './kubernetes-api';
import { MemoryEtcdStore } from './memory-etcd-store.fake';

const SERVER_NAME = 'demo.clusters.quorate.internal';
const NODES = ['demo-cp-1', 'demo-cp-2', 'demo-cp-3'];

let ca: FakeClusterCa;
let admin: FakeIdentity;
let store: MemoryEtcdStore;
let api: KubernetesApi;
let kubelets: Kubelet[];

interface Answer {
  readonly code: number;
  readonly body: JsonObject;
}

/** A plain HTTPS client: what holds must not hang on kubectl's manners. */
function call(
  identity: FakeIdentity | undefined,
  method: string,
  path: string,
  body?: JsonObject,
  port = api.port,
): Promise<Answer> {
  const options = {
    host: '127.0.0.1',
    port,
    servername: SERVER_NAME,
    path,
    method,
    ca: ca.certPem,
    cert: identity?.certPem,
    key: identity?.keyPem,
    agent: false,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
  };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : { text };
        resolve({ code: response.statusCode ?? 0, body: isJsonObject(parsed) ? parsed : {} });
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 10_000; !(await holds()); ) {
    if (Date.now() > end) {
      throw new Error('did not come true within 10 s');
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function kubelet(name: string, index: number): Kubelet {
  return startKubelet({
    store,
    node: {
      name,
      addresses: [`10.5.0.${index + 1}`],
      role: 'control-plane',
      kubernetesVersion: '1.36.0',
      talosVersion: '1.13.9',
    },
    staticPods: true,
  });
}

const podCount = async (): Promise<number> =>
  listAt((await call(admin, 'GET', '/api/v1/pods?fieldSelector=spec.nodeName!=')).body, 'items').length;

beforeAll(async () => {
  ca = await FakeClusterCa.create();
  admin = await ca.client('admin', ['system:masters']);
  store = new MemoryEtcdStore();
  api = await startKubernetesApi({
    host: '127.0.0.1',
    port: 0,
    store,
    clusterName: 'demo',
    kubernetesVersion: '1.36.0',
    caCertPem: ca.certPem,
    caKeyPem: ca.keyPem,
    certSans: [SERVER_NAME],
  });
  kubelets = NODES.map(kubelet);
  await until(async () => (await podCount()) === 17);
});

afterAll(async () => {
  await Promise.all(kubelets.map((one) => one.stop()));
  await api.close();
});

describe('who may come in', () => {
  test('a client certificate of another CA, or none, gets 401 and a Status', async () => {
    const stranger = await (await FakeClusterCa.create()).client('admin', ['system:masters']);
    for (const identity of [stranger, undefined]) {
      const { code, body } = await call(identity, 'GET', '/api/v1/nodes');
      expect([code, body['kind'], body['reason']]).toEqual([401, 'Status', 'Unauthorized']);
    }
  });

  test('a viewer reads everything but secrets and writes nothing', async () => {
    const viewer = await ca.client('vera', ['quorate:viewers']);
    expect((await call(viewer, 'GET', '/api/v1/nodes')).code).toBe(200);
    expect((await call(viewer, 'GET', '/api/v1/secrets')).code).toBe(403);
    const created = await call(viewer, 'POST', '/api/v1/namespaces', { metadata: { name: 'x' } });
    expect(created.code).toBe(403);
    expect(created.body['message']).toMatch(/User "vera" cannot create resource "namespaces"/);
    expect((await call(viewer, 'DELETE', '/api/v1/nodes/demo-cp-1')).code).toBe(403);
  });

  test('a certificate without a known group may do nothing', async () => {
    const nobody = await ca.client('nobody', []);
    expect((await call(nobody, 'GET', '/api/v1/nodes')).code).toBe(403);
  });
});

describe('objects', () => {
  test('are created once, with uid and resourceVersion', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const first = await call(admin, 'POST', path, { metadata: { name: 'once' }, data: { a: '1' } });
    expect(first.code).toBe(201);
    expect(textAt(first.body, 'metadata.uid')).toBeDefined();
    const second = await call(admin, 'POST', path, { metadata: { name: 'once' } });
    expect([second.code, second.body['reason']]).toEqual([409, 'AlreadyExists']);
    const stale = { ...first.body, metadata: { name: 'once', resourceVersion: '1' } };
    const lost = await call(admin, 'PUT', `${path}/once`, stale);
    expect([lost.code, lost.body['reason']]).toEqual([409, 'Conflict']);
  });

  test('are refused in a namespace that is not there, and with a name that is no name', async () => {
    const there = await call(admin, 'POST', '/api/v1/namespaces/nowhere/configmaps', {
      metadata: { name: 'a' },
    });
    expect([there.code, there.body['message']]).toEqual([404, 'namespaces "nowhere" not found']);
    const named = await call(admin, 'POST', '/api/v1/namespaces', { metadata: { name: 'Not_A_Name' } });
    expect(named.code).toBe(422);
  });

  test('go with their namespace; system namespaces stay', async () => {
    await call(admin, 'POST', '/api/v1/namespaces', { metadata: { name: 'gone' } });
    await call(admin, 'POST', '/api/v1/namespaces/gone/configmaps', { metadata: { name: 'a' } });
    expect((await call(admin, 'DELETE', '/api/v1/namespaces/gone')).code).toBe(200);
    expect((await store.list('/registry/configmaps/gone/')).items).toEqual([]);
    expect((await call(admin, 'DELETE', '/api/v1/namespaces/kube-system')).code).toBe(403);
  });

  test('are the same through every API server of the cluster', async () => {
    const other = await startKubernetesApi({
      host: '127.0.0.1',
      port: 0,
      store,
      clusterName: 'demo',
      kubernetesVersion: '1.36.0',
      caCertPem: ca.certPem,
      caKeyPem: ca.keyPem,
      certSans: [SERVER_NAME],
    });
    const created = await call(admin, 'POST', '/api/v1/namespaces', { metadata: { name: 'shared' } });
    const seen = await call(admin, 'GET', '/api/v1/namespaces/shared', undefined, other.port);
    await other.close();
    expect(seen).toEqual({ code: 200, body: created.body });
  });
});

describe('a kubelet that starts again', () => {
  test('registers nothing twice and keeps what people did to the Node', async () => {
    const path = '/api/v1/nodes/demo-cp-2';
    const node = await call(admin, 'GET', path);
    const labels = { ...(node.body['metadata'] as { labels: JsonObject }).labels, team: 'a' };
    const metadata = { ...(node.body['metadata'] as JsonObject), labels };
    expect((await call(admin, 'PUT', path, { ...node.body, metadata })).code).toBe(200);
    const before = (await store.list('/registry/events/')).items.length;
    await kubelets[1]?.stop();
    kubelets[1] = kubelet('demo-cp-2', 1);
    await until(async () => (await store.list('/registry/events/')).items.length > before);
    const after = await call(admin, 'GET', path);
    expect(textAt(after.body, 'metadata.labels.team')).toBe('a');
    expect(textAt(after.body, 'metadata.uid')).toBe(textAt(node.body, 'metadata.uid'));
    expect(await podCount()).toBe(17);
  });
});

/** Without kubectl the same questions go over plain HTTPS; the output says which it was. */
describe(hasKubectl() ? 'the real kubectl' : 'kubectl is not on PATH: the same, over plain HTTPS', () => {
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

  if (!hasKubectl()) {
    test('nodes, pods, version and discovery answer', async () => {
      expect(table).toContain('Table');
      expect(listAt((await call(admin, 'GET', '/api/v1/nodes')).body, 'items')).toHaveLength(3);
      expect((await call(admin, 'GET', '/version')).body['gitVersion']).toBe('v1.36.0');
      expect((await call(admin, 'GET', '/apis')).body['kind']).toBe('APIGroupList');
    });
    return;
  }

  let kubectl: Kubectl;
  beforeAll(() => {
    kubectl = new Kubectl({ port: api.port, caPem: ca.certPem, serverName: SERVER_NAME, identity: admin });
  });
  afterAll(() => kubectl.remove());

  const run = async (line: string, input = ''): Promise<string> => {
    const { code, out, err } = await kubectl.run(line.split(' '), input);
    expect([line, code, code === 0 ? '' : err]).toEqual([line, 0, '']);
    return out;
  };

  test('shows nodes and the static pods of the control planes', async () => {
    const nodes = await run('get nodes -o wide');
    NODES.forEach((node) =>
      expect(nodes).toMatch(new RegExp(`${node} +Ready +control-plane .*v1.36.0 +10.5.0`)),
    );
    expect(nodes).toContain('Talos (v1.13.9) (simulated)');
    const pods = await run('get pods -n kube-system -o wide');
    NODES.forEach((node) => expect(pods).toMatch(new RegExp(`kube-apiserver-${node} +1/1 +Running +0`)));
    expect(await run('get pods -A -o name')).toContain('pod/kube-scheduler-demo-cp-3');
    expect(await run('get all -A')).toContain('service/kube-dns');
  }, 30_000);

  test('finds its way: version, cluster-info, api-resources, events, describe, whoami', async () => {
    expect(await run('version')).toContain('Server Version: v1.36.0');
    expect(await run('cluster-info')).toContain('is running at');
    expect(await run('api-resources')).toMatch(/configmaps +cm +v1 +true +ConfigMap/);
    expect(await run('get events -A')).toContain('Starting kubelet.');
    expect(await run('describe node demo-cp-1')).toContain(
      'node-role.kubernetes.io/control-plane:NoSchedule',
    );
    expect(await run('auth whoami')).toContain('system:masters');
    expect(await run('get --raw /readyz')).toBe('ok');
    expect(await run('wait node --all --for=condition=Ready --timeout=5s')).toContain(
      'demo-cp-3 condition met',
    );
  }, 30_000);

  test('creates, applies and deletes', async () => {
    const manifest = (data: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cfg, namespace: shop}\ndata: {${data}}\n`;
    await run('create namespace shop');
    await run('create secret generic pass -n shop --from-literal=p=q');
    expect(await run('apply -f -', manifest('a: "1"'))).toContain('created');
    expect(await run('apply -f -', manifest('a: "1"'))).toContain('unchanged');
    expect(await run('apply -f -', manifest('b: "2"'))).toContain('configured');
    expect(await run('get cm cfg -n shop -o jsonpath={.data}')).toBe('{"b":"2"}');
    expect(await run('apply --server-side -f -', manifest('b: "2", c: "3"'))).toContain('serverside-applied');
    expect(await run('apply --server-side -f -', manifest('c: "3"'))).toContain('serverside-applied');
    expect(await run('get cm,secret -n shop')).toMatch(/secret\/pass +Opaque +1/);
    expect(await run('delete cm cfg -n shop')).toContain('deleted');
    expect(await run('delete ns shop')).toContain('deleted');
  }, 30_000);

  test('watches: a change comes as a line', async () => {
    const watching = kubectl.run([
      'get',
      'configmaps',
      '-n',
      'default',
      '--watch',
      '--request-timeout=3s',
      '-o',
      'name',
    ]);
    await until(async () => {
      const name = `seen-${Date.now()}`;
      await call(admin, 'POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } });
      return Promise.race([
        watching.then(() => true),
        new Promise<boolean>((r) => setTimeout(() => r(false), 100)),
      ]);
    });
    expect((await watching).out).toMatch(/configmap\/seen-\d+/);
  }, 30_000);
});
