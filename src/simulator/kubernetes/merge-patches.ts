/** The patch formats of the Kubernetes API: JSON merge patch, strategic merge patch and JSON patch. */
import { isJsonObject, type JsonObject } from './kube-object';
import { StatusError } from './status-error';

/** Lists of objects that a strategic patch merges by a key; every other list is replaced. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  conditions: 'type',
  addresses: 'type',
  taints: 'key',
  containers: 'name',
  initContainers: 'name',
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
  ports: 'port',
  secrets: 'name',
  imagePullSecrets: 'name',
  ownerReferences: 'uid',
};

/** RFC 7386. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) {
    return patch;
  }
  const out: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete out[key];
    } else {
      out[key] = mergePatch(out[key], value);
    }
  }
  return out;
}

function mergeLists(target: unknown, patch: readonly unknown[], mergeKey: string): unknown[] {
  if (patch.some((item) => isJsonObject(item) && item['$patch'] === 'replace')) {
    return patch.filter((item) => !isJsonObject(item) || item['$patch'] === undefined);
  }
  const out = Array.isArray(target) ? [...(target as unknown[])] : [];
  for (const item of patch.filter(isJsonObject)) {
    const at = out.findIndex((old) => isJsonObject(old) && old[mergeKey] === item[mergeKey]);
    if (item['$patch'] === 'delete') {
      out.splice(at, at === -1 ? 0 : 1);
    } else if (at === -1) {
      out.push(strategicMergePatch({}, item));
    } else {
      out[at] = strategicMergePatch(out[at], item);
    }
  }
  return out;
}

export function strategicMergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) {
    return patch;
  }
  const { $patch: directive, ...changes } = patch;
  const out: JsonObject = isJsonObject(target) && directive !== 'replace' ? { ...target } : {};
  for (const [key, value] of Object.entries(changes)) {
    const mergeKey = MERGE_KEYS[key];
    const removed = /^\$deleteFromPrimitiveList\/(.+)$/.exec(key)?.[1];
    if (removed !== undefined && Array.isArray(value) && Array.isArray(out[removed])) {
      out[removed] = out[removed].filter((item) => !value.includes(item));
    } else if (key.startsWith('$')) {
      continue; // $setElementOrder and $retainKeys only order what is there
    } else if (value === null) {
      delete out[key];
    } else if (Array.isArray(value) && mergeKey !== undefined) {
      out[key] = mergeLists(out[key], value, mergeKey);
    } else {
      out[key] = strategicMergePatch(out[key], value);
    }
  }
  return out;
}

interface JsonPatchStep {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

function applyStep(root: JsonObject, step: JsonPatchStep): void {
  const keys = step.path
    .split('/')
    .slice(1)
    .map((key) => key.replace(/~1/g, '/').replace(/~0/g, '~'));
  const last = keys.pop();
  const parent = keys.reduce<unknown>((at, key) => (at as JsonObject | undefined)?.[key], root);
  if (last === undefined || typeof parent !== 'object' || parent === null) {
    throw new StatusError('Invalid', `the server rejected our request: no such path ${step.path}`);
  }
  const list = Array.isArray(parent) ? parent : undefined;
  const at = parent as JsonObject;
  switch (step.op) {
    case 'test':
      if (JSON.stringify(at[last]) !== JSON.stringify(step.value)) {
        throw new StatusError('Invalid', `the server rejected our request: testing ${step.path} failed`);
      }
      return;
    case 'add':
      if (list !== undefined) {
        list.splice(last === '-' ? list.length : Number(last), 0, step.value);
        return;
      }
      at[last] = step.value;
      return;
    case 'replace':
      at[last] = step.value;
      return;
    case 'remove':
      if (list !== undefined) {
        list.splice(Number(last), 1);
        return;
      }
      delete at[last];
      return;
    default:
      throw new StatusError('BadRequest', `JSON patch operation ${step.op} is not supported`);
  }
}

/** RFC 6902 without move and copy, which no client here sends. */
export function jsonPatch(target: JsonObject, patch: unknown): JsonObject {
  if (!Array.isArray(patch)) {
    throw new StatusError('BadRequest', 'a JSON patch is a list of operations');
  }
  const out = structuredClone(target);
  for (const step of patch as JsonPatchStep[]) {
    applyStep(out, step);
  }
  return out;
}
