/** The resources that a machine shows, computed when somebody looks; YAML as Talos writes it, protobuf where it is easy. */
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { STATIC_PODS } from './kube-services';
import { unmetConditions } from './machine-health';
import type { SimulatedMachine, Stage } from './simulated-machine';

export interface ResourceView {
  readonly id: string;
  readonly spec: unknown;
  readonly proto?: Uint8Array;
}

export interface ResourceType {
  readonly namespace: string;
  readonly sensitive?: boolean;
  readonly view: (machine: SimulatedMachine) => Promise<ResourceView[]>;
}

const STAGES: Readonly<Record<Stage, number>> = {
  booting: 1,
  installing: 2,
  maintenance: 3,
  running: 4,
  rebooting: 5,
  'shutting down': 6,
  resetting: 7,
  upgrading: 8,
};

const texts = (...values: readonly string[]): Uint8Array => {
  const writer = new BinaryWriter();
  values.forEach((value, index) => value !== '' && writer.uint32(((index + 1) << 3) | 2).string(value));
  return writer.finish();
};

async function machineStatus(machine: SimulatedMachine): Promise<ResourceView[]> {
  const unmet = await unmetConditions(machine);
  const writer = new BinaryWriter();
  writer.uint32(8).int32(STAGES[machine.stage]);
  const inner = writer.uint32(18).fork();
  if (unmet.length === 0) {
    inner.uint32(8).bool(true);
  }
  for (const condition of unmet) {
    inner.uint32(18).bytes(texts(condition.name, condition.reason));
  }
  inner.join();
  const status = { ready: unmet.length === 0, unmetConditions: unmet };
  return [{ id: 'machine', spec: { stage: machine.stage, status }, proto: writer.finish() }];
}

async function affiliates(machine: SimulatedMachine): Promise<ResourceView[]> {
  if (machine.config === undefined) {
    return [];
  }
  return machine.world.affiliates(machine.config).map((affiliate) => ({
    id: affiliate.nodeId,
    spec: describe(affiliate, { nodename: affiliate.nodename }),
  }));
}

async function members(machine: SimulatedMachine): Promise<ResourceView[]> {
  if (machine.config === undefined) {
    return [];
  }
  return machine.world.affiliates(machine.config).map((affiliate) => ({
    id: affiliate.nodename || affiliate.hostname,
    spec: describe(affiliate, {}),
  }));
}

type Affiliate = ReturnType<SimulatedMachine['world']['affiliates']>[number];

function describe(affiliate: Affiliate, more: Record<string, unknown>): Record<string, unknown> {
  const { nodeId, addresses, hostname, machineType, operatingSystem, apiServerPort } = affiliate;
  return {
    nodeId,
    addresses,
    hostname,
    ...more,
    machineType,
    operatingSystem,
    ...(apiServerPort === undefined ? {} : { controlPlane: { port: apiServerPort } }),
  };
}

async function nodeStatus(machine: SimulatedMachine): Promise<ResourceView[]> {
  const node = await machine.kube?.nodeState();
  if (node === undefined) {
    return [];
  }
  const { ready: nodeReady, unschedulable, labels, annotations } = node;
  return [
    {
      id: machine.hostname,
      spec: { nodename: machine.hostname, nodeReady, unschedulable, labels, annotations },
    },
  ];
}

async function staticPods(machine: SimulatedMachine): Promise<ResourceView[]> {
  if (machine.kube?.apiRunning !== true) {
    return [];
  }
  return STATIC_PODS.map((name) => ({
    id: `kube-system/${name}-${machine.hostname}`,
    spec: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], hostIP: '127.0.0.1' },
  }));
}

const whenConfigured =
  (view: (machine: SimulatedMachine) => ResourceView[]) =>
  async (machine: SimulatedMachine): Promise<ResourceView[]> =>
    machine.config === undefined ? [] : view(machine);

export const RESOURCE_TYPES: Readonly<Record<string, ResourceType>> = {
  'MachineStatuses.runtime.talos.dev': { namespace: 'runtime', view: machineStatus },
  'Versions.runtime.talos.dev': {
    namespace: 'runtime',
    view: async ({ talosVersion }) => [
      {
        id: 'version',
        spec: { version: `v${talosVersion}`, name: 'Talos (simulated)' },
        proto: texts(`v${talosVersion}`, 'Talos (simulated)'),
      },
    ],
  },
  'Identities.cluster.talos.dev': {
    namespace: 'cluster',
    view: whenConfigured(({ record }) => [
      { id: 'local', spec: { nodeId: record.nodeId }, proto: texts(record.nodeId ?? '') },
    ]),
  },
  'Infos.cluster.talos.dev': {
    namespace: 'cluster',
    view: whenConfigured(({ config }) => [
      {
        id: 'current',
        spec: { clusterId: config?.clusterId, clusterName: config?.clusterName },
        proto: texts(config?.clusterId ?? '', config?.clusterName ?? ''),
      },
    ]),
  },
  'Affiliates.cluster.talos.dev': { namespace: 'cluster', view: affiliates },
  'Members.cluster.talos.dev': { namespace: 'cluster', view: members },
  'HostnameStatuses.net.talos.dev': {
    namespace: 'network',
    view: async ({ hostname }) => [
      { id: 'hostname', spec: { hostname, domainname: '' }, proto: texts(hostname) },
    ],
  },
  'Nodenames.kubernetes.talos.dev': {
    namespace: 'k8s',
    view: whenConfigured(({ hostname, config }) => [
      {
        id: 'nodename',
        spec: {
          nodename: hostname,
          hostnameVersion: '1',
          skipNodeRegistration: config?.skipNodeRegistration === true,
        },
      },
    ]),
  },
  'NodeStatuses.kubernetes.talos.dev': { namespace: 'k8s', view: nodeStatus },
  'StaticPodStatuses.kubernetes.talos.dev': { namespace: 'k8s', view: staticPods },
  'EtcdMembers.etcd.talos.dev': {
    namespace: 'etcd',
    view: async ({ etcd }) => {
      if (etcd?.member === undefined) {
        return [];
      }
      const memberID = etcd.member.memberId.toString(16).padStart(16, '0');
      return [{ id: 'local', spec: { memberID }, proto: texts(memberID) }];
    },
  },
  'MachineTypes.config.talos.dev': {
    namespace: 'config',
    view: whenConfigured(({ config }) => [
      {
        id: 'machine-type',
        spec: config?.role,
        proto: new BinaryWriter()
          .uint32(8)
          .int32(config?.role === 'controlplane' ? 2 : 3)
          .finish(),
      },
    ]),
  },
  'MachineConfigs.config.talos.dev': {
    namespace: 'config',
    sensitive: true,
    view: whenConfigured(({ config }) => [
      {
        id: 'v1alpha1',
        spec: config?.text,
        proto: new BinaryWriter()
          .uint32(10)
          .bytes(Buffer.from(config?.text ?? ''))
          .finish(),
      },
    ]),
  },
  'SystemInformations.hardware.talos.dev': {
    namespace: 'hardware',
    view: async ({ record }) => [
      {
        id: 'systeminformation',
        spec: { manufacturer: 'Quorate', productName: 'simulated machine', uuid: record.machineId },
      },
    ],
  },
};
