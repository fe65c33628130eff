import { status } from '@grpc/grpc-js';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { SecretsBundle } from '../../domain/machine-config/secrets-bundle';
import type { MachineFacts } from '../../domain/machine/machine-facts';
import {
  EtcdMemberAlarm_AlarmType,
  EtcdMemberListResponse,
  EtcdStatusResponse,
} from '../../generated/proto/talos/machine/machine';
import { CertificateAuthority } from '../pki/certificate-authority';
import { generateSecretsBundle } from '../pki/generate-secrets-bundle';
import { toStandardLabel } from '../pki/pem-labels';
import { RsaKeyPool } from '../pki/rsa-key-pool';
import {
  Refusal,
  resourceOf,
  startFakeTalos,
  type FakeTalos,
  type FakeTalosOptions,
} from './fake-talos-server';
import { GrpcTalosMachines } from './grpc-talos-machines';

const version = { messages: [{ version: { tag: 'v1.13.9' } }] };
const running = resourceOf(
  'stage: running\nstatus:\n    ready: false\n    unmetConditions:\n        - name: services\n          reason: etcd',
);
const maintenance = resourceOf('stage: maintenance\nstatus:\n    ready: true\n    unmetConditions: []');
const own = 0xf000000000000001n;

const configured = {
  version,
  'MachineStatuses.runtime.talos.dev': running,
  'Identities.cluster.talos.dev': resourceOf('nodeId: abc123'),
  'NodeStatuses.kubernetes.talos.dev': resourceOf('nodename: cp-1\nnodeReady: true\nunschedulable: false'),
  hostname: { messages: [{ hostname: 'cp-1' }] },
  serviceList: {
    messages: [
      {
        services: [
          { id: 'etcd', state: 'Running', health: { unknown: false, healthy: true } },
          { id: 'cri', state: 'Running', health: { unknown: true, healthy: false } },
          { id: 'udevd', state: 'Finished' },
        ],
      },
    ],
  },
  etcdMemberList: EtcdMemberListResponse.fromPartial({
    messages: [
      {
        members: [
          { id: own, hostname: 'cp-1' },
          { id: 2n, isLearner: true },
        ],
      },
    ],
  }),
  etcdStatus: EtcdStatusResponse.fromPartial({
    messages: [
      {
        memberStatus: {
          memberId: own,
          leader: 2n,
          errors: ['etcdserver: no leader', 'memberID:2 alarm:NOSPACE '],
        },
      },
    ],
  }),
  etcdAlarmList: {
    messages: [
      {
        memberAlarms: [
          { memberId: own, alarm: EtcdMemberAlarm_AlarmType.CORRUPT },
          { memberId: 2n, alarm: EtcdMemberAlarm_AlarmType.NOSPACE },
        ],
      },
    ],
  },
};

describe('GrpcTalosMachines', () => {
  const pool = new RsaKeyPool({ size: 0, modulusLength: 1024 });
  const talos = new GrpcTalosMachines({
    now: () => new Date(),
    probeTimeoutMs: 4000,
    commandTimeoutMs: 4000,
  });
  const open: { close(): void }[] = [];
  let secrets: SecretsBundle;
  let foreign: SecretsBundle;

  beforeAll(async () => {
    secrets = await generateSecretsBundle('1.13.9', pool, new Date());
    foreign = await generateSecretsBundle('1.13.9', pool, new Date());
  });
  afterEach(() => open.splice(0).forEach((o) => o.close()));
  afterAll(() => {
    talos.close();
    pool.close();
  });

  async function machine(options: FakeTalosOptions): Promise<FakeTalos> {
    const fake = await startFakeTalos(options);
    open.push(fake);
    return fake;
  }
  const cluster = (answers: FakeTalosOptions['answers'] = configured, over: Partial<FakeTalosOptions> = {}) =>
    machine({ osCa: secrets.certs.os, answers, ...over });
  const target = (
    endpoint: string,
    role: 'control-plane' | 'worker' = 'worker',
    kubernetesEndpoint = '127.0.0.1:1',
  ) => ({
    talosEndpoint: endpoint,
    kubernetesEndpoint,
    role,
    secrets,
  });

  describe('probe', () => {
    it('gathers what a control plane says', async () => {
      const { endpoint, received } = await cluster();
      const facts = await talos.probe(target(endpoint, 'control-plane'));
      expect(facts).toEqual<MachineFacts>({
        contact: 'configured',
        talosVersion: '1.13.9',
        stage: 'running',
        ready: false,
        unmetConditions: ['services'],
        nodeId: 'abc123',
        hostname: 'cp-1',
        nodeReady: true,
        services: {
          etcd: { state: 'Running', healthy: true },
          cri: { state: 'Running', healthy: 'unknown' },
          udevd: { state: 'Finished', healthy: 'unknown' },
        },
        etcd: {
          memberId: 'f000000000000001',
          members: [
            { id: 'f000000000000001', hostname: 'cp-1', isLearner: false },
            { id: '0000000000000002', hostname: '', isLearner: true },
          ],
          leaderId: '0000000000000002',
          isLearner: false,
          alarms: ['CORRUPT', 'etcdserver: no leader'],
        },
        kubernetesReady: false,
      });
      expect(new Set(received.map((r) => r.organization))).toEqual(new Set(['os:admin']));
    });

    it('asks a worker for no etcd and no Kubernetes API', async () => {
      const { endpoint, received } = await cluster();
      const facts = await talos.probe(target(endpoint));
      expect(facts).toMatchObject({ contact: 'configured', stage: 'running' });
      expect([facts.etcd, facts.kubernetesReady]).toEqual([undefined, undefined]);
      expect(received.filter((r) => r.method.startsWith('etcd'))).toEqual([]);
    });

    it('leaves out what is not answered', async () => {
      const answers = { version, etcdStatus: new Refusal(status.UNAVAILABLE, 'etcd is not running') };
      const { endpoint } = await cluster(answers);
      expect(await talos.probe(target(endpoint, 'control-plane'))).toEqual({
        contact: 'configured',
        talosVersion: '1.13.9',
        kubernetesReady: false,
      });
    });

    it.each([
      ['up to 1.12, without a version', { 'MachineStatuses.runtime.talos.dev': maintenance }, undefined],
      ['from 1.13 on, with one', { 'MachineStatuses.runtime.talos.dev': maintenance, version }, '1.13.9'],
    ])('recognizes maintenance mode %s', async (_, answers, talosVersion) => {
      const { endpoint } = await machine({ answers });
      const expected = {
        contact: 'maintenance',
        stage: 'maintenance',
        ...(talosVersion && { talosVersion }),
      };
      expect(await talos.probe(target(endpoint))).toMatchObject(expected);
      const { secrets: _none, ...withoutSecrets } = target(endpoint);
      expect(await talos.probe(withoutSecrets)).toMatchObject(expected);
    });

    it('recognizes a machine of another cluster', async () => {
      const { endpoint, received } = await machine({ osCa: foreign.certs.os, answers: configured });
      expect((await talos.probe(target(endpoint))).contact).toBe('foreign');
      const { secrets: _none, ...withoutSecrets } = target(endpoint);
      expect((await talos.probe(withoutSecrets)).contact).toBe('foreign');
      expect(received).toEqual([]);
    });

    it('does not believe a machine whose certificate is for another address', async () => {
      const { endpoint, received } = await cluster(configured, { address: '10.0.0.1' });
      const facts = await talos.probe(target(endpoint));
      expect(facts.contact).toBe('unreachable');
      expect(facts.error).toContain('127.0.0.1');
      expect(received).toEqual([]);
    });

    it('finds nobody where nothing listens', async () => {
      const facts = await talos.probe(target('127.0.0.1:1'));
      expect(facts.contact).toBe('unreachable');
      expect(facts.error).toContain('ECONNREFUSED');
    });

    it('ends in time when someone listens and says nothing', async () => {
      const sockets: Socket[] = [];
      const mute = createServer((socket) => sockets.push(socket));
      const port = await listen(mute);
      const hasty = new GrpcTalosMachines({ now: () => new Date(), probeTimeoutMs: 600 });
      const started = Date.now();
      const facts = await hasty.probe(target(`127.0.0.1:${port}`));
      expect(facts.contact).toBe('unreachable');
      expect(Date.now() - started).toBeLessThan(2000);
      hasty.close();
      sockets.forEach((socket) => socket.destroy());
      mute.close();
    });

    it('sees at once that a machine took its config, and that it was reset', async () => {
      const seen: string[] = [];
      let { port, ...fake } = await machine({ answers: { version } });
      for (const osCa of [secrets.certs.os, undefined, secrets.certs.os]) {
        seen.push((await talos.probe(target(`127.0.0.1:${port}`))).contact);
        fake.close();
        seen.push((await talos.probe(target(`127.0.0.1:${port}`))).contact);
        ({ port, ...fake } = await machine({ answers: configured, port, ...(osCa && { osCa }) }));
      }
      seen.push((await talos.probe(target(`127.0.0.1:${port}`))).contact);
      expect(seen).toEqual([
        'maintenance',
        'unreachable',
        'configured',
        'unreachable',
        'maintenance',
        'unreachable',
        'configured',
      ]);
    }, 20_000);

    it.each([
      ['ok', 200, true],
      ['[-]etcd failed', 500, false],
    ])('asks the Kubernetes API: %s', async (body, code, kubernetesReady) => {
      const { endpoint } = await cluster();
      const { port, groups, close } = await kubernetesApi(secrets, body, code);
      const facts = await talos.probe(target(endpoint, 'control-plane', `127.0.0.1:${port}`));
      close();
      expect(facts.kubernetesReady).toBe(kubernetesReady);
      expect(groups).toEqual(['system:masters']);
    });

    it('does not take the Kubernetes API of another cluster for its own', async () => {
      const { endpoint } = await cluster();
      const { port, close } = await kubernetesApi(foreign, 'ok', 200);
      const facts = await talos.probe(target(endpoint, 'control-plane', `127.0.0.1:${port}`));
      close();
      expect(facts.kubernetesReady).toBe(false);
    });
  });

  describe('applyConfig', () => {
    const applied = {
      messages: [{ warnings: ['careful'], mode: 2, modeDetails: 'Applied configuration without a reboot' }],
    };

    it.each([
      ['maintenance', 1],
      ['configured', 2],
    ] as const)('sends the config to a %s machine', async (mode, wanted) => {
      const answers = { applyConfiguration: applied };
      const { endpoint, received } = await (mode === 'maintenance' ? machine({ answers }) : cluster(answers));
      const verdict = await talos.applyConfig(target(endpoint), 'machine: {}\n', mode);
      expect(verdict).toEqual({
        outcome: 'applied',
        message: 'Applied configuration without a reboot\ncareful',
      });
      expect(received[0]?.request).toMatchObject({
        data: Buffer.from('machine: {}\n'),
        mode: wanted,
        dryRun: false,
      });
    });

    it('passes on why Talos rejects it', async () => {
      const answers = {
        applyConfiguration: new Refusal(status.INVALID_ARGUMENT, 'unknown keys found:\nmachine:\n  a: 1'),
      };
      const { endpoint } = await cluster(answers);
      expect(await talos.applyConfig(target(endpoint), 'x', 'configured')).toEqual({
        outcome: 'rejected',
        message: 'unknown keys found:\nmachine:\n  a: 1',
      });
    });

    it.each([
      ['a busy machine', status.FAILED_PRECONDITION, { kind: 'unavailable', code: 'MACHINE_BUSY' }],
      [
        'a machine that restarts its API',
        status.UNAVAILABLE,
        { kind: 'unavailable', code: 'MACHINE_UNREACHABLE' },
      ],
      ['a machine that refuses us', status.PERMISSION_DENIED, { kind: 'refused', code: 'MACHINE_REFUSED' }],
    ])('tells of %s', async (_, code, expected) => {
      const { endpoint } = await cluster({ applyConfiguration: new Refusal(code, 'no') });
      await expect(talos.applyConfig(target(endpoint), 'x', 'configured')).rejects.toMatchObject(expected);
    });

    it('gives no config with secrets to a configured machine without authentication', async () => {
      const { endpoint, received } = await cluster({ applyConfiguration: applied });
      await expect(talos.applyConfig(target(endpoint), 'secret', 'maintenance')).rejects.toMatchObject({
        code: 'MACHINE_UNREACHABLE',
      });
      expect(received).toEqual([]);
    });
  });

  describe('bootstrap', () => {
    it.each([
      ['started', { messages: [{}] }],
      ['already-bootstrapped', new Refusal(status.ALREADY_EXISTS, 'etcd data directory is not empty')],
      ['not-yet', new Refusal(status.FAILED_PRECONDITION, 'bootstrap is not available yet')],
    ])('%s', async (expected, bootstrap) => {
      const { endpoint, received } = await cluster({ bootstrap });
      expect(await talos.bootstrap(target(endpoint))).toBe(expected);
      expect(received[0]?.request).toEqual({ recoverEtcd: false, recoverSkipHashCheck: false });
    });

    it('fails when nobody answers', async () => {
      await expect(talos.bootstrap(target('127.0.0.1:1'))).rejects.toMatchObject({ kind: 'unavailable' });
    });
  });

  describe('reset', () => {
    it('wipes the named partitions without leaving etcd', async () => {
      const { endpoint, received } = await cluster({ reset: { messages: [{}] } });
      await talos.reset(target(endpoint), { wipeLabels: ['STATE', 'EPHEMERAL'], reboot: true });
      expect(received[0]?.request).toEqual({
        graceful: false,
        reboot: true,
        systemPartitionsToWipe: [
          { label: 'STATE', wipe: true },
          { label: 'EPHEMERAL', wipe: true },
        ],
        userDisksToWipe: [],
        mode: 0,
      });
    });

    it('never sends an empty list, which would wipe the whole disk', async () => {
      await expect(talos.reset(target('127.0.0.1:1'), { wipeLabels: [], reboot: true })).rejects.toThrow(
        'names the partitions',
      );
    });
  });
});

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );

async function kubernetesApi({ certs }: SecretsBundle, body: string, code: number) {
  const ca = await CertificateAuthority.load(certs.k8s);
  const leaf = await ca.issue({
    commonName: 'kube-apiserver',
    dnsNames: ['kubernetes'],
    usage: 'server',
    now: new Date(),
    ttlMs: 60_000,
  });
  const groups: unknown[] = [];
  const server = createHttpsServer(
    {
      cert: leaf.crt,
      key: toStandardLabel(leaf.key),
      ca: certs.k8s.crt,
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      groups.push((request.socket as import('node:tls').TLSSocket).getPeerCertificate().subject.O);
      response.writeHead(request.url === '/readyz' ? code : 404).end(body);
    },
  );
  const port = await listen(server);
  return { port, groups, close: () => server.close() };
}
