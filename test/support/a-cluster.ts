/** Snapshots of clusters for planner tests, built by saying what is special about them. */
import type { ClusterSpec, MachineSource } from '../../src/domain/cluster/cluster-spec';
import type { EtcdFacts, MachineFacts } from '../../src/domain/machine/machine-facts';
import type {
  ClusterSnapshot,
  ClusterView,
  MachineRequestView,
  MachineSetView,
  MachineView,
  WantedMachineView,
} from '../../src/domain/planner/cluster-snapshot';

export const T0 = new Date('2026-01-01T00:00:00Z');
export const later = (ms: number): Date => new Date(T0.getTime() + ms);

const source: MachineSource = { kind: 'managed', provider: 'default', size: 'm' };
const set = {
  name: 'control-planes',
  role: 'control-plane',
  source,
  patches: [],
  labels: {},
  annotations: {},
} as const;

export const A_SPEC: ClusterSpec = {
  name: 'demo',
  labels: {},
  annotations: {},
  talosVersion: '1.13.9',
  kubernetesVersion: '1.36.3',
  features: {
    diskEncryption: false,
    enableWorkloadProxy: false,
    useEmbeddedDiscoveryService: false,
    enableNodeAuditSkip: false,
    backupIntervalSeconds: 0,
  },
  patches: [],
  manifests: [],
  controlPlane: set,
  workers: [],
  machines: [],
};

type MachineIs =
  | 'new'
  | 'maintenance'
  | 'installing'
  | 'waiting'
  | 'member'
  | 'ready'
  | 'down'
  | 'wiped'
  | 'foreign'
  | 'gone';

/** A control plane of machines a, b, c ... and what each of them is. */
export class SnapshotBuilder {
  private readonly cluster: { -readonly [K in keyof ClusterView]: ClusterView[K] } = {
    id: 'cluster',
    name: 'demo',
    managed: true,
    generation: 1,
    spec: A_SPEC,
    hasSecrets: true,
    wasReady: false,
  };
  private now = T0;
  private readonly sets: MachineSetView[] = [];
  private readonly requests: MachineRequestView[] = [];
  private readonly machines: MachineView[] = [];
  private readonly wanted: WantedMachineView[] = [];
  private affiliatesCleaned = false;

  constructor(replicas: number) {
    this.set({ id: 'cps', name: 'control-planes', replicas });
  }

  set(values: Partial<MachineSetView> & Pick<MachineSetView, 'id' | 'name' | 'replicas'>): this {
    const index = this.sets.findIndex((s) => s.id === values.id);
    const supply = { providerId: 'provider', shape: { cpus: 2, memoryBytes: 4, diskBytes: 8 } };
    const next: MachineSetView = {
      role: 'control-plane',
      sourceKind: 'managed',
      retired: false,
      wantedMachineIds: [],
      supply,
      requestSet: { id: `${values.id}-requests`, replicas: values.replicas },
      ...values,
    };
    this.sets.splice(index < 0 ? this.sets.length : index, index < 0 ? 0 : 1, next);
    return this;
  }

  at(now: Date): this {
    this.now = now;
    return this;
  }

  with(values: Partial<ClusterView>): this {
    Object.assign(this.cluster, values);
    return this;
  }

  request(name: string, values: Partial<MachineRequestView> = {}): this {
    this.requests.push({
      id: `request-${name}`,
      name,
      setId: 'cps',
      phase: 'Pending',
      createdAt: T0,
      neverClaimed: true,
      givenUp: false,
      ...values,
    });
    return this;
  }

  named(name: string, availability: WantedMachineView['availability'], setId = 'cps'): this {
    this.wanted.push({ machineId: name, setId, hostname: name, availability });
    return this;
  }

  /** A machine and the request that it was made for. */
  machine(name: string, is: MachineIs, values: Partial<MachineView> = {}): this {
    const request = {
      phase: 'Provisioned',
      neverClaimed: false,
      machineId: name,
      setId: values.setId ?? 'cps',
    } as const;
    return this.request(name, request).bare(name, is, { requestId: `request-${name}`, ...values });
  }

  /** A machine that nobody requested. */
  bare(name: string, is: MachineIs, values: Partial<MachineView> = {}): this {
    const facts = values.setId === undefined ? factsOf(name, is) : workerFacts(factsOf(name, is));
    this.machines.push({
      id: name,
      setId: 'cps',
      role: values.setId === undefined ? 'control-plane' : 'worker',
      hostname: name,
      gone: is === 'gone',
      desiredConfigHash: 'hash',
      factsAt: this.now,
      ...(facts && { facts }),
      ...(!['new', 'maintenance'].includes(is) && { configHash: 'hash', configAppliedAt: T0 }),
      ...values,
    });
    return this;
  }

  leaving(name: string, values: Partial<MachineRequestView> = {}): this {
    const index = this.requests.findIndex((r) => r.name === name);
    const request = this.requests[index];
    if (request !== undefined) {
      this.requests[index] = { ...request, deprovisionRequestedAt: T0, ...values };
    }
    return this;
  }

  cleaned(): this {
    this.affiliatesCleaned = true;
    return this;
  }

  build(): ClusterSnapshot {
    const members = this.machines
      .filter((m) => m.facts?.etcd !== undefined)
      .map((m) => ({ id: m.id, hostname: m.hostname, isLearner: false }));
    const machines = this.machines.map((m) =>
      m.facts?.etcd === undefined ? m : { ...m, facts: { ...m.facts, etcd: { ...m.facts.etcd, members } } },
    );
    const { cluster, now, sets, requests, wanted, affiliatesCleaned } = this;
    return { cluster, now, sets, requests, machines, wanted, affiliatesCleaned };
  }
}

/** Workers run neither etcd nor the Kubernetes API. */
function workerFacts(facts: MachineFacts | undefined): MachineFacts | undefined {
  if (facts === undefined) {
    return undefined;
  }
  const { etcd: _etcd, kubernetesReady: _kubernetesReady, services: _services, ...rest } = facts;
  return rest;
}

function factsOf(name: string, is: MachineIs): MachineFacts | undefined {
  const etcd: EtcdFacts = { memberId: name, members: [], leaderId: 'a', isLearner: false, alarms: [] };
  const services = { etcd: { state: 'Preparing', healthy: 'unknown' as const } };
  switch (is) {
    case 'new':
    case 'gone':
      return undefined;
    case 'maintenance':
    case 'wiped':
      return { contact: 'maintenance', stage: 'maintenance' };
    case 'installing':
    case 'down':
      return { contact: 'unreachable' };
    case 'foreign':
      return { contact: 'foreign' };
    case 'waiting':
      return {
        contact: 'configured',
        stage: 'booting',
        ready: false,
        services,
        unmetConditions: ['services'],
      };
    case 'member':
      return { contact: 'configured', stage: 'booting', ready: false, services, etcd };
    case 'ready':
      return {
        contact: 'configured',
        stage: 'running',
        ready: true,
        services,
        etcd,
        kubernetesReady: true,
        nodeReady: true,
      };
  }
}

export const aCluster = (replicas: number): SnapshotBuilder => new SnapshotBuilder(replicas);
