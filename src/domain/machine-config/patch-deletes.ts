/** `$patch: delete` in a strategic merge patch: what it points at, and how that is removed. */
import { DomainError } from '../shared/errors';
import {
  describeDocument,
  identityOf,
  isMap,
  isV1Alpha1,
  NumberText,
  sameDocument,
  type ConfigMap,
  type ConfigValue,
  type DocumentIdentity,
} from './config-document';

/** The first other `key: value` of a list element names the element to remove. */
interface ElementSelector {
  readonly key: string;
  readonly value: string;
}

export interface PatchDelete {
  readonly document: DocumentIdentity;
  /** Empty: the whole document. */
  readonly path: readonly string[];
  readonly element?: ElementSelector;
}

interface Split {
  readonly deletes: readonly PatchDelete[];
  /** The document without its deletes; undefined when nothing is left to merge. */
  readonly rest: ConfigMap | undefined;
}

const isMarked = (value: ConfigValue): value is ConfigMap => isMap(value) && value['$patch'] === 'delete';

export function splitDeletes(document: ConfigMap): Split {
  const identity = identityOf(document);
  if (isMarked(document)) {
    return { deletes: [{ document: identity, path: [] }], rest: undefined };
  }
  const deletes: PatchDelete[] = [];
  const rest = withoutDeletes(document, identity, [], deletes);
  const onlyNames =
    rest === undefined ||
    Object.keys(rest).every((key) => ['apiVersion', 'kind', 'name', 'version'].includes(key));
  return { deletes, rest: deletes.length > 0 && onlyNames ? undefined : rest };
}

/** Undefined: nothing but deletes was in it, so it goes as a whole. */
function withoutDeletes(
  map: ConfigMap,
  document: DocumentIdentity,
  path: readonly string[],
  found: PatchDelete[],
): ConfigMap | undefined {
  const kept = Object.entries(map).flatMap(([key, value]): [string, ConfigValue][] => {
    const inner = stripValue(value, document, [...path, key], found);
    return inner === undefined ? [] : [[key, inner]];
  });
  return kept.length === 0 && Object.keys(map).length > 0 ? undefined : Object.fromEntries(kept);
}

function stripValue(
  value: ConfigValue,
  document: DocumentIdentity,
  at: readonly string[],
  found: PatchDelete[],
): ConfigValue | undefined {
  if (isMarked(value)) {
    found.push({ document, path: at });
    return undefined;
  }
  if (Array.isArray(value)) {
    return stripList(value, document, at, found);
  }
  return isMap(value) ? withoutDeletes(value, document, at, found) : value;
}

function stripList(
  list: ConfigValue[],
  document: DocumentIdentity,
  at: readonly string[],
  found: PatchDelete[],
): ConfigValue[] | undefined {
  const kept = list.filter((element) => {
    if (!isMarked(element)) {
      refuseInnerDelete(element, at);
      return true;
    }
    found.push({ document, path: at, element: elementSelector(element, at) });
    return false;
  });
  return kept.length === 0 && list.length > 0 ? undefined : kept;
}

function elementSelector(element: ConfigMap, at: readonly string[]): ElementSelector {
  const entry = Object.entries(element).find(([key]) => key !== '$patch');
  if (entry === undefined) {
    throw refused(`${at.join('.')}: $patch: delete in a list needs a key that names the element`);
  }
  return { key: entry[0], value: textOf(entry[1]) };
}

function refuseInnerDelete(value: ConfigValue, at: readonly string[]): void {
  const inner = Array.isArray(value) ? value : isMap(value) ? Object.values(value) : [];
  for (const child of inner) {
    if (isMarked(child)) {
      throw refused(`cannot delete an inner key in a list element at '${at.join('.')}'`);
    }
    refuseInnerDelete(child, at);
  }
}

export function applyDeletes(documents: readonly ConfigMap[], deletes: readonly PatchDelete[]): ConfigMap[] {
  return deletes.reduce<ConfigMap[]>(applyDelete, [...documents]);
}

function applyDelete(documents: ConfigMap[], wanted: PatchDelete): ConfigMap[] {
  const index = documents.findIndex((d) => sameDocument(identityOf(d), wanted.document));
  const target = documents[index];
  if (target === undefined) {
    throw lookupFailed(wanted);
  }
  if (wanted.path.length > 0) {
    return documents.with(index, removeAt(target, wanted.path, wanted));
  }
  if (isV1Alpha1(target)) {
    throw refused("can't delete the root of the legacy document");
  }
  return documents.toSpliced(index, 1);
}

function removeAt(map: ConfigMap, path: readonly string[], wanted: PatchDelete): ConfigMap {
  const [key = '', ...deeper] = path;
  if (!Object.hasOwn(map, key)) {
    throw lookupFailed(wanted);
  }
  const value = map[key] as ConfigValue;
  if (deeper.length === 0 && wanted.element === undefined) {
    return Object.fromEntries(Object.entries(map).filter(([other]) => other !== key));
  }
  return {
    ...map,
    [key]:
      deeper.length === 0 ? removeElement(value, wanted) : removeAt(mapOrFail(value, wanted), deeper, wanted),
  };
}

function removeElement(list: ConfigValue, wanted: PatchDelete): ConfigValue {
  const { element } = wanted;
  const elements = Array.isArray(list) ? list : [];
  const index = elements.findIndex(
    (e) =>
      element !== undefined &&
      isMap(e) &&
      Object.hasOwn(e, element.key) &&
      textOf(e[element.key] as ConfigValue) === element.value,
  );
  if (index < 0) {
    throw lookupFailed(wanted);
  }
  return elements.toSpliced(index, 1);
}

function mapOrFail(value: ConfigValue, wanted: PatchDelete): ConfigMap {
  if (!isMap(value)) {
    throw lookupFailed(wanted);
  }
  return value;
}

function textOf(value: ConfigValue): string {
  if (value instanceof NumberText) {
    return value.text;
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const refused = (message: string): DomainError => new DomainError('invalid', 'PATCH_DELETE_REFUSED', message);

function lookupFailed({ document, path, element }: PatchDelete): DomainError {
  const which = element === undefined ? '' : ` where ${element.key} is ${element.value}`;
  const where = path.length === 0 ? '' : `path '${path.join('.')}'${which} in `;
  return refused(`patch delete: ${where}document '${describeDocument(document)}': lookup failed`);
}
