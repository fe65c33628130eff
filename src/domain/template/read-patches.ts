/** Patches of one scope: named, from a file or inline, loadable by Talos, free of what the platform owns. */
import type { PatchSpec } from '../cluster/cluster-spec';
import { checkPatch } from '../patch/check-patch';
import type { PatchTarget } from '../patch/reserved-fields';
import { openFields, type Fields, type Spot } from '../yaml/fields';
import { readContent } from './read-content';
import { readMetadata } from './read-metadata';
import type { TemplateContext } from './template-context';
import { PATCH_FIELDS } from './template-fields';

export function readPatches(
  fields: Fields,
  role: PatchTarget['role'],
  context: TemplateContext,
): PatchSpec[] {
  const patches = (fields.list('patches') ?? []).flatMap((spot) => readPatch(spot, role, context) ?? []);
  return withUniqueNames(patches);
}

function readPatch(spot: Spot, role: PatchTarget['role'], context: TemplateContext): PatchSpec | undefined {
  const { report } = context;
  const fields = openFields(spot, PATCH_FIELDS, report);
  if (fields === undefined) {
    return undefined;
  }
  readMetadata(fields);
  const name = fields.text('name');
  const idOverride = fields.text('idOverride');
  if (fields.has('inline') && !name && !idOverride) {
    const remedy = 'Write a name; with idOverride none is needed.';
    report.refuse(spot.node.at, {
      path: `${spot.path}.name`,
      code: 'PATCH_NAME',
      reason: 'An inline patch needs a name.',
      remedy,
    });
  }
  const content = readContent(fields, { inlineKey: 'inline', parse: true }, context);
  if (content === undefined) {
    return undefined;
  }
  const { managed, talosVersion } = context;
  const version = talosVersion === undefined ? {} : { talosVersion };
  // A text with YAML faults yields no documents; those faults are reported already.
  if (content.documents !== undefined && content.documents.length > 0) {
    checkPatch(content.documents, { role, managed, path: spot.path, at: spot.node.at, ...version }, report);
  }
  const named = name || idOverride || content.file || spot.path;
  return { name: named, ...(idOverride !== undefined && { idOverride }), content: content.text };
}

/** Names are labels for people; the same file twice in one list is odd, not wrong. */
function withUniqueNames(patches: readonly PatchSpec[]): PatchSpec[] {
  const taken = new Set<string>();
  return patches.map((patch) => {
    let name = patch.name;
    for (let n = 2; taken.has(name); n += 1) {
      name = `${patch.name}#${n}`;
    }
    taken.add(name);
    return { ...patch, name };
  });
}
