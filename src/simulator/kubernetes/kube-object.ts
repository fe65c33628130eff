/** The shape that every Kubernetes object shares; what lies below is carried, not understood. */

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  generation?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[];
  managedFields?: ManagedFields[];
  [key: string]: unknown;
}

export interface ManagedFields {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time: string;
  fieldsType: 'FieldsV1';
  fieldsV1: JsonObject;
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [key: string]: unknown;
}

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads `status.nodeInfo.kubeletVersion` and the like; absent anywhere on the way is undefined. */
export function fieldAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), value);
}

export function textAt(value: unknown, path: string): string | undefined {
  const found = fieldAt(value, path);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean'
    ? String(found)
    : undefined;
}

export function listAt(value: unknown, path: string): JsonObject[] {
  const found = fieldAt(value, path);
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}
