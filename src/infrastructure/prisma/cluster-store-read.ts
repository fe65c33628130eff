/** Reads everything about one cluster, whoever owns the rows, at one point in time. */
import type { Prisma } from '../../generated/prisma/client';
import type { ClusterSpec } from '../../domain/cluster/cluster-spec';
import { findSizeTier, type MachineShape } from '../../domain/tiers/size-tiers';
import type {
  ConfigRejection,
  MachineRequestView,
  MachineSetView,
  RequestPhase,
  SetSupply,
} from '../../domain/planner/cluster-snapshot';
import type {
  ClusterRow,
  ClusterRows,
  MachineRow,
  NamedMachineRow,
  OperationRow,
  PatchRow,
} from '../../reconcile/cluster/cluster-rows';

type Tx = Prisma.TransactionClient;
type ClusterRecord = Prisma.ClusterGetPayload<object>;
type SetRecord = Prisma.MachineSetGetPayload<object>;
type RequestRecord = Prisma.MachineRequestGetPayload<object>;
type MachineRecord = Prisma.MachineGetPayload<object>;

/** Drops the keys that are null in the database: absent is `undefined` in the domain. */
const given = <K extends string, V>(key: K, value: V | null): Partial<Record<K, V>> =>
  value === null ? {} : ({ [key]: value } as Record<K, V>);

export async function readCluster(tx: Tx, clusterId: string): Promise<ClusterRows | undefined> {
  const record = await tx.cluster.findUnique({ where: { id: clusterId } });
  if (record === null) {
    return undefined;
  }
  const where = { clusterId };
  const sets = await tx.machineSet.findMany({ where, orderBy: [{ role: 'asc' }, { name: 'asc' }] });
  const requestSets = await tx.machineRequestSet.findMany({ where });
  const requests = await tx.machineRequest.findMany({ where, orderBy: { id: 'asc' } });
  const machines = await tx.machine.findMany({ where, orderBy: { id: 'asc' } });
  const operations = await tx.operation.findMany({
    where: { ...where, state: { in: ['Pending', 'Running'] } },
    orderBy: { id: 'asc' },
  });
  const projections = await tx.clusterMachine.findMany({ where, orderBy: { id: 'asc' } });
  const patches = await tx.configPatch.findMany({ where, orderBy: [{ weight: 'asc' }, { name: 'asc' }] });
  const supplies = await readSupplies(tx, record.tenantId, sets);
  const setOfRequestSet = new Map(requestSets.map((rs) => [rs.id, rs.machineSetId]));
  return {
    cluster: {
      ...clusterOf(record),
      hasSecrets: (await tx.secret.count({ where })) > 0,
      affiliatesCleaned: await wereAffiliatesCleaned(tx, record),
    },
    sets: sets.map((set) =>
      setOf(
        set,
        isRetired(record, set),
        supplies.get(set.id),
        requestSets.find((rs) => rs.machineSetId === set.id),
      ),
    ),
    requests: requests.map((r) => requestOf(r, setOfRequestSet.get(r.requestSetId) ?? '')),
    machines: machines.map((m) => machineOf(m, requests)),
    named: await readNamed(tx, record, sets),
    patches: patches.map((p) => ({
      ...given('machineSetId', p.machineSetId),
      ...given('machineId', p.machineId),
      name: p.name,
      weight: p.weight,
      origin: p.origin as PatchRow['origin'],
      content: p.content,
    })),
    projections: projections.map(
      ({ id, setName, name, role, managed, state, ready, talosVersion, message }) => ({
        id,
        setName,
        name,
        role: role as 'control-plane' | 'worker',
        managed,
        state,
        ready,
        ...given('talosVersion', talosVersion),
        message,
      }),
    ),
    operations: operations.map(({ id, kind, generation, state, steps, message }) => ({
      id,
      kind,
      generation,
      state,
      steps: steps as unknown as OperationRow['steps'],
      message,
    })),
  };
}

function clusterOf(r: ClusterRecord): Omit<ClusterRow, 'hasSecrets' | 'affiliatesCleaned'> {
  return {
    id: r.id,
    tenantId: r.tenantId,
    name: r.name,
    managed: r.managed,
    generation: r.generation,
    observedGeneration: r.observedGeneration,
    spec: r.spec as unknown as ClusterSpec,
    state: r.state,
    conditions: r.conditions as unknown as ClusterRow['conditions'],
    explain: r.explain as unknown as ClusterRow['explain'],
    endpointHost: r.endpointHost,
    ...given('deleteRequestedAt', r.deleteRequestedAt),
    ...given('bootstrapMachineId', r.bootstrapMachineId),
    ...given('bootstrapSentAt', r.bootstrapSentAt),
    ...given('bootstrappedAt', r.bootstrappedAt),
  };
}

/** The journal remembers it: the affiliates themselves cannot be asked once the machines are gone. */
async function wereAffiliatesCleaned(tx: Tx, { id, deleteRequestedAt }: ClusterRecord): Promise<boolean> {
  if (deleteRequestedAt === null) {
    return false;
  }
  const done = await tx.stepJournal.count({
    where: { clusterId: id, type: 'CleanAffiliates', outcome: 'done', startedAt: { gte: deleteRequestedAt } },
  });
  return done > 0;
}

/** Managed sets are supplied by the hidden provider behind their alias, class sets by their class's provider. */
async function readSupplies(
  tx: Tx,
  tenantId: string,
  sets: readonly SetRecord[],
): Promise<Map<string, SetSupply>> {
  const supplies = new Map<string, SetSupply>();
  for (const set of sets) {
    const source = set.source as { provider?: string; size?: string; className?: string };
    if (set.sourceKind === 'managed' && source.provider !== undefined) {
      const provider = await tx.provider.findUnique({ where: { alias: source.provider } });
      const tier = findSizeTier(source.size ?? '');
      if (provider !== null && tier !== undefined) {
        supplies.set(set.id, { providerId: provider.id, shape: tier.shape });
      }
    }
    if (set.sourceKind === 'class' && source.className !== undefined) {
      const found = await tx.machineClass.findUnique({
        where: { tenantId_name: { tenantId, name: source.className } },
      });
      if (found !== null) {
        supplies.set(set.id, { providerId: found.providerId, shape: found.shape as unknown as MachineShape });
      }
    }
  }
  return supplies;
}

/** Sync keeps the row of a set that the template dropped until its machines are gone. */
function isRetired(cluster: ClusterRecord, { name, role }: SetRecord): boolean {
  const { workers } = cluster.spec as unknown as ClusterSpec;
  return role === 'worker' && !workers.some((set) => set.name === name);
}

function setOf(
  set: SetRecord,
  retired: boolean,
  supply: SetSupply | undefined,
  requestSet: { id: string; replicas: number } | undefined,
): MachineSetView {
  const { machineIds = [] } = set.source as { machineIds?: string[] };
  return {
    id: set.id,
    name: set.name,
    role: set.role as MachineSetView['role'],
    sourceKind: set.sourceKind as MachineSetView['sourceKind'],
    replicas: set.replicas,
    retired,
    wantedMachineIds: machineIds,
    ...(supply && { supply }),
    ...(requestSet && { requestSet: { id: requestSet.id, replicas: requestSet.replicas } }),
  };
}

function requestOf(r: RequestRecord, setId: string): MachineRequestView {
  const lastError = (r.lastError as { message?: string } | null)?.message;
  return {
    id: r.id,
    name: r.name,
    setId,
    phase: r.phase as RequestPhase,
    createdAt: r.createdAt,
    neverClaimed: r.fencingToken === 0n,
    givenUp: r.phase === 'Failed' && r.nextAttemptAt === null,
    ...given('machineId', r.machineId),
    ...given('deprovisionRequestedAt', r.deprovisionRequestedAt),
    ...given('gateOpenedAt', r.gateOpenedAt),
    ...(lastError !== undefined && { lastError }),
  };
}

function machineOf(m: MachineRecord, requests: readonly RequestRecord[]): MachineRow {
  const request = requests.find((r) => r.id === m.requestId);
  return {
    id: m.id,
    tenantId: m.tenantId,
    setId: m.machineSetId ?? '',
    hostname: m.hostname ?? request?.name ?? m.id,
    gone: m.goneAt !== null || request?.phase === 'Deprovisioned',
    talosEndpoint: m.talosEndpoint,
    kubernetesEndpoint: m.kubernetesEndpoint,
    addresses: m.addresses as string[],
    ...given('requestId', m.requestId),
    ...(m.factsAt !== null && {
      facts: m.facts as unknown as NonNullable<MachineRow['facts']>,
      factsAt: m.factsAt,
    }),
    ...given('configHash', m.configHash),
    ...given('configAppliedAt', m.configAppliedAt),
    ...given('resetSentAt', m.resetSentAt),
    ...(m.configRejection !== null && { configRejection: rejectionOf(m.configRejection) }),
  };
}

function rejectionOf(stored: unknown): ConfigRejection {
  const { hash, message, at } = stored as { hash: string; message: string; at: string };
  return { hash, message, at: new Date(at) };
}

/** Only machines of the cluster's own tenant, and only such that nobody requested: those have an owner already. */
async function readNamed(
  tx: Tx,
  cluster: ClusterRecord,
  sets: readonly SetRecord[],
): Promise<NamedMachineRow[]> {
  const ids = sets.flatMap((set) => (set.source as { machineIds?: string[] }).machineIds ?? []);
  if (ids.length === 0) {
    return [];
  }
  const found = await tx.machine.findMany({
    where: { id: { in: ids }, tenantId: cluster.tenantId, goneAt: null },
  });
  return ids.map((machineId) => {
    const machine = found.find((m) => m.id === machineId);
    if (machine === undefined) {
      return { machineId, availability: 'absent' };
    }
    if (machine.clusterId === cluster.id) {
      return { machineId, availability: 'allocated' };
    }
    return {
      machineId,
      availability: machine.clusterId === null && machine.requestId === null ? 'free' : 'taken',
    };
  });
}
