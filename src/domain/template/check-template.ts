/** What only the whole template shows: set names, machines in two sets, unused Machine documents, odd control planes. */
import type { ClusterSpec, MachineSetSpec } from '../cluster/cluster-spec';
import type { Report } from '../yaml/report';
import type { Place } from '../yaml/yaml-tree';
import { memberPath } from './member-path';

/** A set or machine of the spec with the path and place of its document. */
export interface Placed<T> {
  readonly value: T;
  readonly path: string;
  readonly at: Place;
}

export interface PlacedSets {
  readonly controlPlane: Placed<MachineSetSpec> | undefined;
  readonly workers: readonly Placed<MachineSetSpec>[];
}

export function checkTemplate(
  spec: ClusterSpec,
  { controlPlane, workers }: PlacedSets,
  report: Report,
): void {
  const sets = controlPlane === undefined ? workers : [controlPlane, ...workers];
  checkSetNames(workers, report);
  checkMembership(sets, report);
  checkMachines(spec, report);
  checkKernelArgs(spec, report);
  // A count that other faults made is not worth a word.
  if (controlPlane !== undefined && report.violations.length === 0) {
    warnOfCount(controlPlane, report);
  }
}

function checkSetNames(workers: readonly Placed<MachineSetSpec>[], report: Report): void {
  const first = new Map<string, Place>();
  for (const { value, path, at } of workers) {
    const other = first.get(value.name);
    if (other === undefined) {
      first.set(value.name, at);
    } else {
      const reason = `Two Workers documents have the name "${value.name}"; the first is on line ${other.line}.`;
      const remedy = 'Give each a name of its own (without one it is "workers").';
      report.refuse(report.locate(`${path}.name`) ?? at, { path, code: 'DUPLICATE_SET', reason, remedy });
    }
  }
}

/** One machine, one set: a machine in two of them would be installed twice. */
function checkMembership(sets: readonly Placed<MachineSetSpec>[], report: Report): void {
  const owner = new Map<string, string>();
  for (const { value, path } of sets) {
    const ids = value.source.kind === 'machines' ? value.source.machineIds : [];
    for (const id of ids) {
      const other = owner.get(id);
      if (other === undefined) {
        owner.set(id, path);
        continue;
      }
      const reason = `The machine ${id} is listed by ${other} and by ${path}.`;
      const at = report.locate(memberPath(path, id)) ?? report.locate(path);
      report.refuse(at, { path, code: 'MACHINE_IN_TWO_SETS', reason, remedy: 'Remove it from one of them.' });
    }
  }
}

function checkMachines(spec: ClusterSpec, report: Report): void {
  const idsOf = ({ source }: MachineSetSpec): readonly string[] =>
    source.kind === 'machines' ? source.machineIds : [];
  const controlPlane = new Set(idsOf(spec.controlPlane));
  const workers = new Set(spec.workers.flatMap(idsOf));
  const seen = new Set<string>();
  for (const { machineId, locked } of spec.machines) {
    const path = `Machine[${machineId}]`;
    const refuse = (code: string, reason: string, remedy: string): void =>
      report.refuse(report.locate(path), { path, code, reason, remedy });
    if (seen.has(machineId)) {
      refuse('DUPLICATE_MACHINE', `Two Machine documents describe ${machineId}.`, 'Merge them into one.');
    }
    seen.add(machineId);
    if (locked && controlPlane.has(machineId)) {
      refuse('LOCKED_CONTROL_PLANE', 'A control-plane machine cannot be locked.', 'Remove locked.');
    }
    if (!controlPlane.has(machineId) && !workers.has(machineId)) {
      const remedy = 'List it under machines of ControlPlane or Workers, or remove the document.';
      refuse('MACHINE_UNUSED', `No set of the template lists the machine ${machineId}.`, remedy);
    }
  }
}

function checkKernelArgs(spec: ClusterSpec, report: Report): void {
  const usesClass = [spec.controlPlane, ...spec.workers].some(({ source }) => source.kind === 'class');
  if (spec.kernelArgs !== undefined && usesClass) {
    const path = 'Cluster.kernelArgs';
    const reason = 'kernelArgs of the cluster cannot be used while a set takes machines of a class.';
    const remedy = 'Set them on the sets that list machines, or on the machine class.';
    report.refuse(report.locate(path), { path, code: 'KERNEL_ARGS_WITH_CLASS', reason, remedy });
  }
}

function warnOfCount({ value: { source }, path, at }: Placed<MachineSetSpec>, report: Report): void {
  const warn = (code: string, reason: string, remedy: string): void =>
    report.warn(report.locate(`${path}.machineClass.size`) ?? at, { path, code, reason, remedy });
  if (source.kind === 'managed') {
    return;
  }
  const count = source.kind === 'machines' ? source.machineIds.length : source.size;
  if (count === 'unlimited') {
    warn(
      'CONTROL_PLANE_COUNT',
      'An unlimited control plane can end up with an even number.',
      'Write 1, 3 or 5.',
    );
  } else if (count === 0) {
    warn('CONTROL_PLANE_COUNT', 'A control plane of 0 machines never becomes ready.', 'Write 1, 3 or 5.');
  } else if (count % 2 === 0) {
    const reason = `${count} control-plane machines tolerate no more failures than ${count - 1}.`;
    warn('CONTROL_PLANE_COUNT', reason, 'Use 1, 3 or 5.');
  }
}
