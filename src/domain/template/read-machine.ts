/** Machine documents: settings of one machine that a set of the template lists. */
import type { MachineSpec } from '../cluster/cluster-spec';
import { openFields, type Fields, type Spot } from '../yaml/fields';
import { readMachineId } from './read-machine-source';
import { readMetadata } from './read-metadata';
import { readOverrides } from './read-overrides';
import { readPatches } from './read-patches';
import type { TemplateContext } from './template-context';
import { MACHINE_FIELDS } from './template-fields';
import type { PatchTarget } from '../patch/reserved-fields';

export function readMachine(
  spot: Spot,
  role: PatchTarget['role'],
  context: TemplateContext,
): MachineSpec | undefined {
  const fields = openFields(spot, MACHINE_FIELDS, context.report);
  if (fields === undefined) {
    return undefined;
  }
  const name = fields.require('name', 'Write the UUID of the machine.');
  const machineId = name && readMachineId(name, context.report);
  const locked = fields.flag('locked') ?? false;
  const rest = { ...readInstall(fields), ...readMetadata(fields), ...readOverrides(fields) };
  const patches = readPatches(fields, role, context);
  return machineId === undefined ? undefined : { machineId, locked, patches, ...rest };
}

function readInstall(machine: Fields): Pick<MachineSpec, 'installDisk' | 'installDiskSelector'> {
  const spot = machine.get('install');
  const fields = spot && openFields(spot, { keys: ['disk', 'diskSelector'] }, machine.report);
  if (fields === undefined) {
    return {};
  }
  const disk = fields.text('disk');
  const selector = fields.text('diskSelector');
  if (disk !== undefined && selector !== undefined) {
    const reason = 'install.disk and install.diskSelector exclude each other.';
    fields.refuse('diskSelector', 'INSTALL_TWICE', reason, 'Remove one of them.');
  }
  return {
    ...(disk !== undefined && { installDisk: disk }),
    ...(selector !== undefined && { installDiskSelector: selector }),
  };
}
