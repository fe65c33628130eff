/** Carries out one planned step. No decisions here: the planner made them, and it derives the next ones from what is seen. */
import { renderMachineConfig } from '../../domain/machine-config/render-machine-config';
import { validateMachineConfig } from '../../domain/machine-config/validate-machine-config';
import type { ClusterStep } from '../../domain/planner/cluster-step';
import { assertNever } from '../../domain/shared/assert-never';
import { DomainError } from '../../domain/shared/errors';
import type { ClusterSecrets } from '../ports/cluster-secrets';
import type { Discovery } from '../ports/discovery';
import type { ConfiguredTarget, TalosMachines } from '../ports/talos-machines';
import type { Lease } from '../runtime/lease';
import type { ClusterRows, MachineRow } from './cluster-rows';
import type { ClusterStore } from './cluster-store';
import { inputHash, machineConfigInput, type ConfigSurroundings } from './machine-config-inputs';

export interface StepTools {
  readonly store: ClusterStore;
  readonly secrets: ClusterSecrets;
  readonly talos: TalosMachines;
  readonly discovery: Discovery;
  readonly around: ConfigSurroundings;
  readonly now: () => Date;
}

/** Partitions that hold a machine's identity and data; without them it comes back in maintenance mode. */
const WIPED_PARTITIONS = ['STATE', 'EPHEMERAL'];

export async function executeStep(
  tools: StepTools,
  step: ClusterStep,
  rows: ClusterRows,
  lease: Lease,
): Promise<void> {
  const { store, secrets, now } = tools;
  const { cluster } = rows;
  switch (step.type) {
    case 'CreateSecrets':
      return secrets.ensure(cluster.id, cluster.spec.talosVersion);
    case 'CreateRequestSet':
      return store.createRequestSet(lease, cluster, findSet(rows, step.setId));
    case 'ResizeRequestSet':
      return store.resizeRequestSet(lease, step.requestSetId, step.replicas);
    case 'CreateRequests':
      return store.createRequests(lease, cluster, findSet(rows, step.setId));
    case 'AllocateMachine':
      return store.allocateMachine(lease, cluster, step.machineId, step.setId, step.hostname);
    case 'ApplyConfig':
      return applyConfig(tools, step, rows, lease);
    case 'PinBootstrap':
      return store.pinBootstrap(lease, cluster.id, step.machineId, step.insteadOf, now());
    case 'Bootstrap':
      return bootstrap(tools, step.machineId, rows, lease);
    case 'RecordBootstrapped':
      return store.recordBootstrapped(lease, cluster.id, now());
    case 'RequestDeprovision':
      return store.requestDeprovision(lease, step.requestId, now());
    case 'ResetMachine':
      return reset(tools, step.machineId, rows, lease);
    case 'OpenGate':
      return store.openGate(lease, step.requestId, step.reason, now());
    case 'ForgetRequest':
      return store.forgetRequest(lease, step.requestId);
    case 'ReleaseMachine':
      return store.releaseMachine(lease, step.machineId);
    case 'ForgetMachineSet':
      return store.forgetMachineSet(lease, step.setId);
    case 'CleanAffiliates':
      return cleanAffiliates(tools, rows, lease);
    case 'DeleteCluster':
      await secrets.destroy(cluster.id);
      return store.deleteCluster(lease, cluster);
    default:
      return assertNever(step);
  }
}

function findSet(rows: ClusterRows, setId: string): ClusterRows['sets'][number] {
  const set = rows.sets.find((s) => s.id === setId);
  if (set === undefined) {
    throw new Error('the plan names a set that its snapshot does not have');
  }
  return set;
}

function findMachine(rows: ClusterRows, machineId: string): MachineRow {
  const machine = rows.machines.find((m) => m.id === machineId);
  if (machine === undefined) {
    throw new Error('the plan names a machine that its snapshot does not have');
  }
  return machine;
}

async function targetOf(
  { secrets }: StepTools,
  rows: ClusterRows,
  machine: MachineRow,
): Promise<ConfiguredTarget> {
  const { talosEndpoint, kubernetesEndpoint } = machine;
  const { role } = findSet(rows, machine.setId);
  return { talosEndpoint, kubernetesEndpoint, role, secrets: await secrets.load(rows.cluster.id) };
}

async function applyConfig(
  tools: StepTools,
  step: Extract<ClusterStep, { type: 'ApplyConfig' }>,
  rows: ClusterRows,
  lease: Lease,
): Promise<void> {
  const machine = findMachine(rows, step.machineId);
  const target = await targetOf(tools, rows, machine);
  const input = machineConfigInput(rows, findSet(rows, machine.setId), machine, tools.around);
  const config = renderMachineConfig({ ...input, secrets: target.secrets });
  const faults = validateMachineConfig(config, input.talosVersion);
  const { outcome, message } =
    faults.length > 0
      ? { outcome: 'rejected', message: faults.map((f) => `${f.path}: ${f.reason}`).join('; ') }
      : await tools.talos.applyConfig(target, config, step.mode);
  if (outcome === 'rejected') {
    // A fact about this one config, no failure of the pass: the other machines are worked on.
    const told = oneLine(message);
    await tools.store.recordConfigRejection(lease, machine.id, {
      hash: inputHash(input),
      message: told,
      at: tools.now(),
    });
    await tools.store.recordHappening(lease, rows.cluster, {
      type: 'Warning',
      reason: 'ConfigRejected',
      message: `${machine.hostname}: ${told}`,
    });
    return;
  }
  await tools.store.recordConfig(lease, machine.id, inputHash(input), tools.now());
  const text = step.mode === 'maintenance' ? 'it has its config and installs' : 'its config was changed';
  await tools.store.recordHappening(lease, rows.cluster, {
    type: 'Normal',
    reason: 'ConfigApplied',
    message: `${machine.hostname}: ${text}`,
  });
}

const MAX_TOLD = 500;

/** Machines' own words: PostgreSQL takes no NUL, and people read them in one line. */
function oneLine(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_TOLD);
}

/**
 * Recorded before it is sent: from then on etcd may be there, whatever dies in between. `not-yet` is no failure: the plan
 * asks again as long as the machine waits.
 */
async function bootstrap(
  tools: StepTools,
  machineId: string,
  rows: ClusterRows,
  lease: Lease,
): Promise<void> {
  const { store, talos, now } = tools;
  const target = await targetOf(tools, rows, findMachine(rows, machineId));
  await store.recordBootstrapSent(lease, rows.cluster.id, now());
  if ((await talos.bootstrap(target)) === 'not-yet') {
    await store.recordBootstrapSent(lease, rows.cluster.id, null);
  }
}

async function reset(tools: StepTools, machineId: string, rows: ClusterRows, lease: Lease): Promise<void> {
  const machine = findMachine(rows, machineId);
  await tools.talos.reset(await targetOf(tools, rows, machine), {
    wipeLabels: WIPED_PARTITIONS,
    reboot: true,
  });
  await tools.store.recordReset(lease, machineId, tools.now());
  await tools.store.recordHappening(lease, rows.cluster, {
    type: 'Normal',
    reason: 'MachineReset',
    message: `${machine.hostname}: it is being wiped`,
  });
}

/** A discovery service that cannot be reached is no reason to keep a cluster: its records expire by themselves. */
async function cleanAffiliates(
  { secrets, discovery, store }: StepTools,
  rows: ClusterRows,
  lease: Lease,
): Promise<void> {
  const { cluster } = await secrets.load(rows.cluster.id);
  try {
    const affiliates = await discovery.list(cluster.id, cluster.secret);
    await Promise.all(affiliates.map((affiliate) => discovery.delete(cluster.id, affiliate.id)));
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'unavailable') {
      throw error;
    }
    const message =
      'the discovery service does not answer; the records of the machines expire within 30 minutes';
    await store.recordHappening(lease, rows.cluster, { type: 'Warning', reason: 'AffiliatesLeft', message });
  }
}
