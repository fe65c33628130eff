/** `machines` or `machineClass`, never both; machine ids are UUIDs of any make, sizes are whole numbers or unlimited. */
import type { MachineSource } from '../cluster/cluster-spec';
import { openFields, readText, type Fields, type Spot } from '../yaml/fields';
import type { Report } from '../yaml/report';
import { memberPath } from './member-path';

/** Version and variant bits are not looked at: firmware writes what it likes. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const UNLIMITED = new Set(['unlimited', 'Unlimited', 'infinity', '∞']);
const MAX_CLASS_SIZE = 10_000;

/** Undefined when the document says nothing of machines. */
export function readMachineSource(fields: Fields): MachineSource | undefined {
  const machines = fields.list('machines');
  const machineClass = fields.get('machineClass');
  if (machineClass === undefined) {
    return machines && { kind: 'machines', machineIds: readMachineIds(machines, fields.report) };
  }
  if (machines !== undefined && machines.length > 0) {
    const reason = 'machines and machineClass exclude each other.';
    fields.refuse('machineClass', 'MACHINES_AND_CLASS', reason, 'Remove one of them.');
    readMachineIds(machines, fields.report);
  }
  return readClass(machineClass, fields.report);
}

function readMachineIds(spots: readonly Spot[], report: Report): string[] {
  const seen = new Set<string>();
  return spots.flatMap((spot) => {
    const id = readMachineId(spot, report);
    if (id === undefined) {
      return [];
    }
    if (seen.has(id)) {
      const reason = `The machine ${id} stands twice in this list.`;
      report.refuse(spot.node.at, {
        path: spot.path,
        code: 'MACHINE_TWICE',
        reason,
        remedy: 'Remove one of them.',
      });
      return [];
    }
    seen.add(id);
    report.remember(memberPath(spot.path.replace(/\.machines\[\d+\]$/, ''), id), spot.node.at);
    return [id];
  });
}

/** Lower-cased: UUIDs differ in case only by who printed them. */
export function readMachineId(spot: Spot, report: Report): string | undefined {
  const text = readText(spot, report);
  if (text === undefined) {
    return undefined;
  }
  if (!UUID.test(text)) {
    report.refuse(spot.node.at, {
      path: spot.path,
      code: 'MACHINE_ID',
      reason: `"${text.slice(0, 80)}" is not the UUID of a machine.`,
      remedy: /[${}<>_]/.test(text)
        ? 'Fill in the placeholder.'
        : 'Write the UUID as the machine list shows it.',
    });
    return undefined;
  }
  return text.toLowerCase();
}

function readClass(spot: Spot, report: Report): MachineSource | undefined {
  const fields = openFields(spot, { keys: ['name', 'size'] }, report);
  if (fields === undefined) {
    return undefined;
  }
  const className = fields.require('name', 'Write the name of a machine class.') && fields.text('name');
  const size = fields.require('size', 'Write how many machines, or unlimited.') && readSize(fields);
  return { kind: 'class', className: className ?? '', size: size ?? 0 };
}

function readSize(fields: Fields): number | 'unlimited' | undefined {
  const text = fields.text('size');
  if (text === undefined) {
    return undefined;
  }
  if (UNLIMITED.has(text)) {
    return 'unlimited';
  }
  const size = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (size === undefined || size > MAX_CLASS_SIZE) {
    const reason = `"${text.slice(0, 40)}" is not a number of machines.`;
    fields.refuse('size', 'MACHINE_COUNT', reason, `Write 0 to ${MAX_CLASS_SIZE}, or unlimited.`);
    return undefined;
  }
  return size;
}
