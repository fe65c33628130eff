/** ControlPlane and Workers documents: where their machines come from, and how they change. */
import { CONTROL_PLANE_SET, type MachineSetSpec, type MachineSource } from '../cluster/cluster-spec';
import { openFields, type Fields, type Spot } from '../yaml/fields';
import { readName } from './read-cluster';
import { readMachineSource } from './read-machine-source';
import { readMetadata } from './read-metadata';
import { readManaged } from './read-managed';
import { readOverrides } from './read-overrides';
import { readPatches } from './read-patches';
import { readStrategy } from './read-strategy';
import type { TemplateContext } from './template-context';
import { CONTROL_PLANE_FIELDS, WORKERS_FIELDS } from './template-fields';

const NO_MACHINES: MachineSource = { kind: 'machines', machineIds: [] };

export function readControlPlane(spot: Spot, context: TemplateContext): MachineSetSpec | undefined {
  const fields = openFields(spot, CONTROL_PLANE_FIELDS, context.report);
  if (fields === undefined) {
    return undefined;
  }
  const source = readManaged(fields) ?? readMachineSource(fields);
  if (source === undefined) {
    const reason = 'The control plane has no machines.';
    const remedy = 'Write managed: {enabled: true, size: xs}, or machines:, or machineClass:.';
    fields.report.refuse(fields.at, { path: fields.path, code: 'CONTROL_PLANE_EMPTY', reason, remedy });
  }
  const upgradeStrategy = readStrategy(fields, 'upgradeStrategy');
  if (upgradeStrategy !== undefined && upgradeStrategy.maxParallelism > 1) {
    const reason = 'Control-plane machines are upgraded one at a time, whatever maxParallelism says.';
    fields.warn(
      'upgradeStrategy',
      'CONTROL_PLANE_ONE_AT_A_TIME',
      reason,
      'Remove upgradeStrategy or write 1.',
    );
  }
  const bootstrapSpec = readBootstrapSpec(fields);
  return {
    name: CONTROL_PLANE_SET,
    role: 'control-plane',
    source: source ?? NO_MACHINES,
    ...readCommon(fields, 'control-plane', context),
    ...(upgradeStrategy && { upgradeStrategy }),
    ...(bootstrapSpec && { bootstrapSpec }),
  };
}

export function readWorkers(spot: Spot, context: TemplateContext): MachineSetSpec | undefined {
  const fields = openFields(spot, WORKERS_FIELDS, context.report);
  if (fields === undefined) {
    return undefined;
  }
  const name = fields.has('name') ? readName(fields, '') : 'workers';
  if (name === CONTROL_PLANE_SET) {
    const reason = `"${CONTROL_PLANE_SET}" is the name of the control plane.`;
    fields.refuse('name', 'NAME_RESERVED', reason, 'Choose another name for the worker set.');
  }
  const strategies = {
    updateStrategy: readStrategy(fields, 'updateStrategy'),
    deleteStrategy: readStrategy(fields, 'deleteStrategy'),
    upgradeStrategy: readStrategy(fields, 'upgradeStrategy'),
  };
  return {
    name: name ?? '',
    role: 'worker',
    source: readMachineSource(fields) ?? NO_MACHINES,
    ...readCommon(fields, 'worker', context),
    ...(strategies.updateStrategy && { updateStrategy: strategies.updateStrategy }),
    ...(strategies.deleteStrategy && { deleteStrategy: strategies.deleteStrategy }),
    ...(strategies.upgradeStrategy && { upgradeStrategy: strategies.upgradeStrategy }),
  };
}

type Common = Pick<MachineSetSpec, 'patches' | 'labels' | 'annotations' | 'systemExtensions' | 'kernelArgs'>;

function readCommon(fields: Fields, role: MachineSetSpec['role'], context: TemplateContext): Common {
  const overrides = readOverrides(fields);
  if (overrides.kernelArgs !== undefined && fields.has('machineClass')) {
    const reason = 'kernelArgs cannot be used together with machineClass.';
    fields.refuse(
      'kernelArgs',
      'KERNEL_ARGS_WITH_CLASS',
      reason,
      'Set them on the machine class, or list machines.',
    );
  }
  return { ...readMetadata(fields), ...overrides, patches: readPatches(fields, role, context) };
}

function readBootstrapSpec(fields: Fields): MachineSetSpec['bootstrapSpec'] {
  const spot = fields.get('bootstrapSpec');
  const bootstrap = spot && openFields(spot, { keys: ['clusterUUID', 'snapshot'] }, fields.report);
  if (bootstrap === undefined) {
    return undefined;
  }
  const clusterUUID = readFilled(
    bootstrap,
    'clusterUUID',
    'Write the UUID of the cluster that the backup is of.',
  );
  const snapshot = readFilled(bootstrap, 'snapshot', 'Write the name of the snapshot.');
  return clusterUUID !== undefined && snapshot !== undefined ? { clusterUUID, snapshot } : undefined;
}

function readFilled(fields: Fields, key: string, remedy: string): string | undefined {
  const text = fields.require(key, remedy) && fields.text(key);
  if (text !== undefined && text.trim() === '') {
    fields.refuse(key, 'REQUIRED', `${fields.path}.${key} is empty.`, remedy);
  }
  return text;
}
