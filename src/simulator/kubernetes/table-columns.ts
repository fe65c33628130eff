/** The columns of `kubectl get`, which the server computes. Kinds without columns of their own show name and age. */
import { ageOf } from './human-duration';
import { fieldAt, isJsonObject, listAt, textAt, type KubeObject } from './kube-object';
import { isReady } from './node-health';

export interface Column {
  readonly name: string;
  /** Only with `-o wide`. */
  readonly wide?: true;
  readonly cell: (object: KubeObject, now: number) => string | number;
}

const NONE = '<none>';
const name: Column = { name: 'Name', cell: (o) => o.metadata.name ?? '' };
const age: Column = { name: 'Age', cell: (o, now) => ageOf(o.metadata.creationTimestamp, now) };
const text = (title: string, path: string, wide?: true): Column => ({
  name: title,
  ...(wide === undefined ? {} : { wide }),
  cell: (o) => textAt(o, path) ?? NONE,
});
const number = (title: string, path: string): Column => ({
  name: title,
  cell: (o) => Number(textAt(o, path) ?? 0),
});
const count = (title: string, path: string): Column => ({
  name: title,
  cell: (o) => Object.keys((fieldAt(o, path) as object | undefined) ?? {}).length,
});

function address(type: string): (node: KubeObject) => string {
  return (node) => {
    const found = listAt(node, 'status.addresses').find((a) => a['type'] === type);
    return textAt(found, 'address') ?? NONE;
  };
}

function nodeStatus(node: KubeObject): string {
  return (
    (isReady(node) ? 'Ready' : 'NotReady') +
    (fieldAt(node, 'spec.unschedulable') === true ? ',SchedulingDisabled' : '')
  );
}

function nodeRoles(node: KubeObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.keys(node.metadata.labels ?? {}).filter((label) => label.startsWith(prefix));
  return (
    roles
      .map((label) => label.slice(prefix.length))
      .sort()
      .join(',') || NONE
  );
}

const NODE: readonly Column[] = [
  name,
  { name: 'Status', cell: nodeStatus },
  { name: 'Roles', cell: nodeRoles },
  age,
  text('Version', 'status.nodeInfo.kubeletVersion'),
  { name: 'Internal-IP', wide: true, cell: address('InternalIP') },
  { name: 'External-IP', wide: true, cell: address('ExternalIP') },
  text('OS-Image', 'status.nodeInfo.osImage', true),
  text('Kernel-Version', 'status.nodeInfo.kernelVersion', true),
  text('Container-Runtime', 'status.nodeInfo.containerRuntimeVersion', true),
];

const containers = (pod: KubeObject) => listAt(pod, 'status.containerStatuses');

const POD: readonly Column[] = [
  name,
  {
    name: 'Ready',
    cell: (pod) =>
      `${containers(pod).filter((c) => c['ready'] === true).length}/${listAt(pod, 'spec.containers').length}`,
  },
  {
    name: 'Status',
    cell: (pod) =>
      pod.metadata.deletionTimestamp === undefined
        ? (textAt(pod, 'status.phase') ?? 'Pending')
        : 'Terminating',
  },
  {
    name: 'Restarts',
    cell: (pod) => containers(pod).reduce((sum, c) => sum + Number(c['restartCount'] ?? 0), 0),
  },
  age,
  text('IP', 'status.podIP', true),
  text('Node', 'spec.nodeName', true),
  text('Nominated Node', 'status.nominatedNodeName', true),
  { name: 'Readiness Gates', wide: true, cell: () => NONE },
];

function servicePorts(service: KubeObject): string {
  return (
    listAt(service, 'spec.ports')
      .map((p) => `${textAt(p, 'port') ?? ''}/${textAt(p, 'protocol') ?? 'TCP'}`)
      .join(',') || NONE
  );
}

function selector(path: string): (object: KubeObject) => string {
  return (object) => {
    const found = fieldAt(object, path);
    const pairs = isJsonObject(found) ? Object.entries(found) : [];
    return pairs.map(([key, value]) => `${key}=${String(value)}`).join(',') || NONE;
  };
}

const SERVICE: readonly Column[] = [
  name,
  { name: 'Type', cell: (o) => textAt(o, 'spec.type') ?? 'ClusterIP' },
  text('Cluster-IP', 'spec.clusterIP'),
  { name: 'External-IP', cell: () => NONE },
  { name: 'Port(s)', cell: servicePorts },
  age,
  { name: 'Selector', wide: true, cell: selector('spec.selector') },
];

const EVENT: readonly Column[] = [
  { name: 'Last Seen', cell: (o, now) => ageOf(textAt(o, 'lastTimestamp') ?? textAt(o, 'eventTime'), now) },
  text('Type', 'type'),
  text('Reason', 'reason'),
  {
    name: 'Object',
    cell: (o) =>
      `${(textAt(o, 'involvedObject.kind') ?? '').toLowerCase()}/${textAt(o, 'involvedObject.name') ?? ''}`,
  },
  text('Source', 'source.component', true),
  { name: 'Message', cell: (o) => (textAt(o, 'message') ?? '').trim() },
  { name: 'First Seen', wide: true, cell: (o, now) => ageOf(textAt(o, 'firstTimestamp'), now) },
  { name: 'Count', wide: true, cell: (o) => Number(textAt(o, 'count') ?? 1) },
  { ...name, wide: true },
];

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  nodes: NODE,
  pods: POD,
  services: SERVICE,
  events: EVENT,
  namespaces: [name, text('Status', 'status.phase'), age],
  configmaps: [name, count('Data', 'data'), age],
  secrets: [name, { name: 'Type', cell: (o) => textAt(o, 'type') ?? 'Opaque' }, count('Data', 'data'), age],
  leases: [name, text('Holder', 'spec.holderIdentity'), age],
  deployments: [
    name,
    {
      name: 'Ready',
      cell: (o) => `${textAt(o, 'status.readyReplicas') ?? 0}/${textAt(o, 'spec.replicas') ?? 1}`,
    },
    number('Up-to-date', 'status.updatedReplicas'),
    number('Available', 'status.availableReplicas'),
    age,
  ],
  daemonsets: [
    name,
    number('Desired', 'status.desiredNumberScheduled'),
    number('Current', 'status.currentNumberScheduled'),
    number('Ready', 'status.numberReady'),
    age,
  ],
};

export function columnsOf(plural: string): readonly Column[] {
  return COLUMNS[plural] ?? [name, age];
}
