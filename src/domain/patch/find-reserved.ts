/** Every reserved field that a patch document touches, with its place: setting, emptying and deleting all count. */
import { entryOf, isNull, type Place, type YamlNode } from '../yaml/yaml-tree';
import type { ReservedFields } from './reserved-fields';

export interface Touched {
  /** As in the reserved list: `machine.network.interfaces[].vip`, or a document kind. */
  readonly field: string;
  readonly at: Place;
}

export function findReserved(
  document: YamlNode,
  kind: string | undefined,
  reserved: ReservedFields,
): Touched[] {
  if (kind === undefined) {
    return [...touchedPaths(document, reserved.paths), ...adminAccess(document)];
  }
  if (reserved.kinds.includes(kind)) {
    return [{ field: kind, at: document.at }];
  }
  const own = reserved.kindPaths.filter((path) => path.startsWith(`${kind}.`));
  const below = own.map((path) => path.slice(kind.length + 1));
  const touched = touchedPaths(document, below).map(({ field, at }) => ({ field: `${kind}.${field}`, at }));
  return kind === 'KubeTalosAPIAccessConfig' ? [...touched, ...adminRoles(document, kind)] : touched;
}

function touchedPaths(document: YamlNode, paths: readonly string[]): Touched[] {
  return paths.flatMap((field) => walk(document, field.split('.')).map((at) => ({ field, at })));
}

/** Places at which the path ends; a `$patch: delete` above it takes the field away as well. */
function walk(node: YamlNode, path: readonly string[]): Place[] {
  const [step, ...rest] = path;
  if (step === undefined) {
    return [];
  }
  if (node.kind !== 'map') {
    return [];
  }
  const deletion = entryOf(node, '$patch');
  const isList = step.endsWith('[]');
  const entry = entryOf(node, isList ? step.slice(0, -2) : step);
  if (entry === undefined) {
    return deletion === undefined ? [] : [deletion.key.at];
  }
  if (rest.length === 0) {
    return isNull(entry.value) ? [] : [entry.key.at];
  }
  const below = isList && entry.value.kind === 'list' ? entry.value.items : [entry.value];
  return below.flatMap((child) => walk(child, rest));
}

/** `os:admin` through the in-cluster API would hand the whole machine to a pod. */
function adminAccess(document: YamlNode): Touched[] {
  const machine = entryOf(document, 'machine')?.value;
  const features = machine && entryOf(machine, 'features')?.value;
  const access = features && entryOf(features, 'kubernetesTalosAPIAccess')?.value;
  return access === undefined ? [] : adminRoles(access, 'machine.features.kubernetesTalosAPIAccess');
}

function adminRoles(access: YamlNode, path: string): Touched[] {
  const roles = entryOf(access, 'allowedRoles')?.value;
  const items = roles?.kind === 'list' ? roles.items : [];
  return items
    .filter((item) => item.kind === 'scalar' && item.text === 'os:admin')
    .map((item) => ({ field: `${path}.allowedRoles: os:admin`, at: item.at }));
}
