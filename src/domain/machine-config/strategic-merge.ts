/** Talos's strategic merge of a patch into a machine config: scalars win, mappings merge, lists append. */
import { DomainError } from '../shared/errors';
import {
  identityOf,
  isMap,
  NumberText,
  parseConfigDocuments,
  sameDocument,
  type ConfigMap,
  type ConfigValue,
} from './config-document';
import { mergeRule, type MergeRule } from './merge-rules';
import { applyDeletes, splitDeletes } from './patch-deletes';

interface Place {
  readonly kind: string;
  readonly path: readonly string[];
}

/**
 * Documents of the patch are matched by apiVersion, kind and name; one that matches nothing is appended. Within a
 * document `$patch: delete` is carried out before the rest is merged.
 * @throws DomainError `invalid` when the patch is JSON6902, does not parse, deletes what is absent, or puts one type
 * over another.
 */
export function applyStrategicPatch(documents: readonly ConfigMap[], patch: string): ConfigMap[] {
  refuseJsonPatch(patch);
  let result = [...documents];
  for (const document of parseConfigDocuments(patch)) {
    const { deletes, rest } = splitDeletes(document);
    result = applyDeletes(result, deletes);
    result = rest === undefined ? result : mergeDocument(result, rest);
  }
  return result;
}

function mergeDocument(documents: readonly ConfigMap[], patch: ConfigMap): ConfigMap[] {
  const identity = identityOf(patch);
  const index = documents.findIndex((d) => sameDocument(identityOf(d), identity));
  const target = documents[index];
  if (target === undefined) {
    return [...documents, patch];
  }
  return documents.with(index, mergeMaps(target, patch, { kind: identity.kind, path: [] }));
}

function mergeMaps(left: ConfigMap, right: ConfigMap, at: Place): ConfigMap {
  const merged = Object.entries(right).map(([key, value]): [string, ConfigValue] => {
    const before = Object.hasOwn(left, key) ? left[key] : undefined;
    return [key, mergeValues(before, value, { ...at, path: [...at.path, key] })];
  });
  // fromEntries defines properties: a key named __proto__ stays a key.
  return Object.fromEntries([...Object.entries(left), ...merged]);
}

function mergeValues(left: ConfigValue | undefined, right: ConfigValue, at: Place): ConfigValue {
  if (left === undefined || left === null) {
    return right;
  }
  if (right === null) {
    return left;
  }
  const rule = mergeRule(at.kind, at.path);
  if (Array.isArray(left) && Array.isArray(right)) {
    return mergeLists(left, right, rule, at);
  }
  if (isMap(left) && isMap(right)) {
    return mergeMappings(left, right, rule, at);
  }
  if (isScalar(left) && isScalar(right)) {
    return isZero(right) ? left : right;
  }
  throw conflict(at, `${describeType(right)} cannot be merged into ${describeType(left)}`);
}

function mergeMappings(left: ConfigMap, right: ConfigMap, rule: MergeRule | undefined, at: Place): ConfigMap {
  switch (rule?.how) {
    case 'replace':
      return right;
    case 'replace-entries':
      return { ...left, ...right };
    default:
      return mergeMaps(left, right, at);
  }
}

function mergeLists(
  left: ConfigValue[],
  right: ConfigValue[],
  rule: MergeRule | undefined,
  at: Place,
): ConfigValue[] {
  switch (rule?.how) {
    case 'replace':
      return right;
    case 'by-key':
      return right.reduce<ConfigValue[]>((list, element) => mergeElement(list, element, rule.keys, at), left);
    default:
      return [...left, ...right];
  }
}

function mergeElement(
  list: ConfigValue[],
  element: ConfigValue,
  keys: readonly string[],
  at: Place,
): ConfigValue[] {
  const index = list.findIndex((other) => isSameElement(other, element, keys));
  const target = list[index];
  if (!isMap(target) || !isMap(element)) {
    return [...list, element];
  }
  return list.with(index, mergeMaps(target, element, { ...at, path: [...at.path, '[]'] }));
}

function isSameElement(a: ConfigValue, b: ConfigValue, keys: readonly string[]): boolean {
  if (!isMap(a) || !isMap(b)) {
    return false;
  }
  const key = keys.find((k) => Object.hasOwn(a, k) && Object.hasOwn(b, k));
  return key !== undefined && JSON.stringify(a[key]) === JSON.stringify(b[key]);
}

function isScalar(value: ConfigValue): boolean {
  return !Array.isArray(value) && !isMap(value);
}

/** Zero values cannot unset anything; a boolean false is a value. */
function isZero(value: ConfigValue): boolean {
  return value === '' || value === 0 || (value instanceof NumberText && Number(value.text) === 0);
}

function describeType(value: ConfigValue): string {
  if (Array.isArray(value)) {
    return 'a list';
  }
  return isMap(value) ? 'a mapping' : 'a scalar';
}

function conflict({ kind, path }: Place, reason: string): DomainError {
  const where = [...(kind === '' ? [] : [kind]), ...path].join('.');
  return new DomainError('invalid', 'PATCH_TYPE_MISMATCH', `${where}: ${reason}`);
}

/** Talos knows JSON6902 as a list at the top; it refuses one for configs of several documents. */
function refuseJsonPatch(patch: string): void {
  if (/^\s*(?:#[^\n]*\n\s*|---\s*\n\s*)*(?:\[|- )/.test(patch)) {
    const message = 'JSON6902 patches are not supported for multi-document machine configuration';
    throw new DomainError('invalid', 'JSON_PATCH_UNSUPPORTED', message, {
      help: 'Write it as a strategic merge patch.',
    });
  }
}
