/** Labels and annotations: maps of texts, bounded, without the prefixes that belong to the platform. */
import { type Fields, type Spot, wrongType } from '../yaml/fields';
import { isNull, type YamlEntry } from '../yaml/yaml-tree';

const RESERVED_PREFIX = 'omni.sidero.dev/';
const MAX_ENTRIES = 256;
const MAX_KEY_LENGTH = 1024;
const MAX_VALUE_LENGTH = 16 * 1024;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

export interface Metadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export function readMetadata(fields: Fields): Metadata {
  return { labels: readTexts(fields, 'labels'), annotations: readTexts(fields, 'annotations') };
}

function readTexts(fields: Fields, field: string): Record<string, string> {
  const spot = fields.get(field);
  if (spot === undefined) {
    return {};
  }
  if (spot.node.kind !== 'map') {
    wrongType(spot, 'a mapping of texts', fields.report);
    return {};
  }
  if (spot.node.entries.length > MAX_ENTRIES) {
    fields.refuse(
      field,
      'TOO_MANY_ENTRIES',
      `${spot.path} has more than ${MAX_ENTRIES} entries.`,
      'Remove some.',
    );
    return {};
  }
  return Object.fromEntries(spot.node.entries.flatMap((entry) => readEntry(entry, spot, fields) ?? []));
}

function readEntry(entry: YamlEntry, spot: Spot, fields: Fields): [[string, string]] | undefined {
  const key = entry.key.text.trim();
  const path = `${spot.path}.${key}`;
  if (entry.value.kind !== 'scalar') {
    wrongType({ node: entry.value, path }, 'a text', fields.report);
    return undefined;
  }
  // Blanks at the ends would never match a selector, and nobody would see why.
  const value = isNull(entry.value) ? '' : entry.value.text.trim();
  const fault = faultOf(key, value);
  if (fault !== undefined) {
    fields.report.refuse(entry.key.at, { path, ...fault });
    return undefined;
  }
  return [[key, value]];
}

function faultOf(key: string, value: string): { code: string; reason: string; remedy: string } | undefined {
  if (key.startsWith(RESERVED_PREFIX)) {
    const reason = `Keys with the prefix ${RESERVED_PREFIX} are reserved for the platform.`;
    return { code: 'RESERVED_PREFIX', reason, remedy: 'Use a prefix of your own.' };
  }
  if (key === '' || key.length > MAX_KEY_LENGTH || value.length > MAX_VALUE_LENGTH) {
    const reason = `A key has 1 to ${MAX_KEY_LENGTH} characters, a value at most ${MAX_VALUE_LENGTH}.`;
    return { code: 'ENTRY_LENGTH', reason, remedy: 'Shorten it.' };
  }
  return CONTROL.test(key) || CONTROL.test(value)
    ? { code: 'CONTROL_CHARACTER', reason: 'The entry holds a control character.', remedy: 'Remove it.' }
    : undefined;
}
