/** Server-side apply: who set which field, conflicts between managers, removal of what a manager no longer applies. */
import { isJsonObject, type JsonObject, type KubeObject, type ManagedFields } from './kube-object';
import { mergePatch } from './merge-patches';
import { StatusError } from './status-error';

/** Fields that name the object rather than describe it; nobody owns them. */
const UNOWNED = ['apiVersion', 'kind', 'metadata.name', 'metadata.namespace', 'metadata.managedFields'];

export interface ApplyRequest {
  readonly manager: string;
  readonly force: boolean;
  readonly now: string;
}

/** Nested `f:` keys down to leaves; a list is one leaf. */
function ownedFields(value: unknown, path = ''): JsonObject {
  const out: JsonObject = {};
  if (!isJsonObject(value)) {
    return out;
  }
  for (const [key, child] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    const fields = ownedFields(child, at);
    const onlyNames = at === 'metadata' && Object.keys(fields).length === 0;
    if (!UNOWNED.includes(at) && !onlyNames) {
      out[`f:${key}`] = fields;
    }
  }
  return out;
}

function leaves(fields: JsonObject, path: readonly string[] = []): string[][] {
  return Object.entries(fields).flatMap(([key, child]) => {
    const at = [...path, key.replace(/^f:/, '')];
    return isJsonObject(child) && Object.keys(child).length > 0 ? leaves(child, at) : [at];
  });
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), value);

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** A merge patch that removes exactly this path. */
const removal = (path: readonly string[]): unknown =>
  [...path].reverse().reduce<unknown>((inner, key) => ({ [key]: inner }), null);

function refuseConflicts(current: KubeObject, applied: KubeObject, others: readonly ManagedFields[]): void {
  const causes = others.flatMap((other) =>
    leaves(other.fieldsV1)
      .filter(
        (path) =>
          valueAt(applied, path) !== undefined && !same(valueAt(applied, path), valueAt(current, path)),
      )
      .map((path) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with "${other.manager}"`,
        field: `.${path.join('.')}`,
      })),
  );
  if (causes.length > 0) {
    const list = causes.map((cause) => `${cause.message}: ${cause.field}`).join(', ');
    const message = `Apply failed with ${causes.length} conflict${causes.length === 1 ? '' : 's'}: ${list}`;
    throw new StatusError('Conflict', message, { causes });
  }
}

export function applyConfiguration(
  current: KubeObject | undefined,
  applied: KubeObject,
  { manager, force, now }: ApplyRequest,
): KubeObject {
  const known = current?.metadata.managedFields ?? [];
  const others = known.filter((entry) => entry.manager !== manager);
  if (current !== undefined && !force) {
    refuseConflicts(current, applied, others);
  }
  const fieldsV1 = ownedFields(applied);
  const kept = [...leaves(fieldsV1), ...others.flatMap((entry) => leaves(entry.fieldsV1))].map(String);
  const dropped = known
    .filter((entry) => entry.manager === manager)
    .flatMap((entry) => leaves(entry.fieldsV1))
    .filter((path) => !kept.includes(String(path)));
  const base = dropped.reduce<unknown>((object, path) => mergePatch(object, removal(path)), current ?? {});
  const merged = mergePatch(base, applied) as KubeObject;
  const before = known.find((entry) => entry.manager === manager);
  const mine: ManagedFields = {
    manager,
    operation: 'Apply',
    apiVersion: applied.apiVersion,
    // An apply that changes nothing must not make a new version of the object.
    time: before !== undefined && same(before.fieldsV1, fieldsV1) ? before.time : now,
    fieldsType: 'FieldsV1',
    fieldsV1,
  };
  return { ...merged, metadata: { ...merged.metadata, managedFields: [...others, mine] } };
}
