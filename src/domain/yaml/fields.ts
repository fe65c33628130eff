/** Reads mappings strictly: unknown keys are faults with a suggestion, wrong types say what was found and wanted. */
import type { Report } from './report';
import { suggestKey } from './suggest-key';
import { describeNode, entryOf, isNull, type Place, type YamlNode } from './yaml-tree';

/** A value and the path that names it in messages. */
export interface Spot {
  readonly node: YamlNode;
  readonly path: string;
}

export interface Known {
  readonly keys: readonly string[];
  /** Remedies for keys that people write for a reason we know. */
  readonly hints?: Readonly<Record<string, string>>;
}

export class Fields {
  constructor(
    readonly spot: Spot,
    readonly report: Report,
  ) {}

  get path(): string {
    return this.spot.path;
  }

  get at(): Place {
    return this.spot.node.at;
  }

  /** Absent and null are the same: not said. */
  get(key: string): Spot | undefined {
    const entry = entryOf(this.spot.node, key);
    return entry === undefined || isNull(entry.value)
      ? undefined
      : { node: entry.value, path: join(this.path, key) };
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** Where a fault is seen best: a simple value itself, else the key above it. */
  placeOf(key: string): Place {
    const entry = entryOf(this.spot.node, key);
    const isSimple = entry?.value.kind === 'scalar' && !isNull(entry.value);
    return (isSimple ? entry.value.at : entry?.key.at) ?? this.at;
  }

  text(key: string): string | undefined {
    return ifDefined(this.get(key), (spot) => readText(spot, this.report));
  }

  flag(key: string): boolean | undefined {
    return ifDefined(this.get(key), (spot) => readFlag(spot, this.report));
  }

  list(key: string): readonly Spot[] | undefined {
    return ifDefined(this.get(key), (spot) => readList(spot, this.report));
  }

  texts(key: string): readonly string[] | undefined {
    const report = this.report;
    return this.list(key)?.flatMap((item) => {
      const text = readText(item, report);
      return text === undefined ? [] : [text];
    });
  }

  /** Refuses with a fault when the key is not said. */
  require(key: string, remedy: string): Spot | undefined {
    const spot = this.get(key);
    if (spot === undefined) {
      const reason = `${join(this.path, key)} is missing.`;
      this.report.refuse(this.at, { path: join(this.path, key), code: 'REQUIRED', reason, remedy });
    }
    return spot;
  }

  refuse(key: string, code: string, reason: string, remedy: string): void {
    this.report.refuse(this.placeOf(key), { path: join(this.path, key), code, reason, remedy });
  }

  warn(key: string, code: string, reason: string, remedy: string): void {
    this.report.warn(this.placeOf(key), { path: join(this.path, key), code, reason, remedy });
  }
}

export function openFields(spot: Spot, known: Known, report: Report): Fields | undefined {
  const { node, path } = spot;
  if (node.kind !== 'map') {
    wrongType(spot, 'a mapping (key: value)', report);
    return undefined;
  }
  report.remember(path, node.at);
  for (const { key, value } of node.entries) {
    const here = join(path, key.text);
    if (known.keys.includes(key.text)) {
      report.remember(here, value.at);
      continue;
    }
    const reason = `${path === '' ? 'The document' : path} has no field "${key.text}".`;
    report.refuse(key.at, { path: here, code: 'UNKNOWN_FIELD', reason, remedy: remedyFor(key.text, known) });
  }
  return new Fields(spot, report);
}

function remedyFor(key: string, known: Known): string {
  const hint = known.hints !== undefined && Object.hasOwn(known.hints, key) ? known.hints[key] : undefined;
  if (hint !== undefined) {
    return hint;
  }
  const near = suggestKey(key, known.keys);
  return near === undefined ? `Known fields: ${known.keys.join(', ')}.` : `Did you mean "${near}"?`;
}

export function readText(spot: Spot, report: Report): string | undefined {
  if (spot.node.kind !== 'scalar') {
    wrongType(spot, 'a text', report);
    return undefined;
  }
  return spot.node.text;
}

/** YAML 1.1 spellings are accepted where a truth value is wanted, as Go's YAML readers do. */
const TRUE = new Set(['true', 'True', 'TRUE', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'y', 'Y']);
const FALSE = new Set(['false', 'False', 'FALSE', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'n', 'N']);

function readFlag(spot: Spot, report: Report): boolean | undefined {
  const { node } = spot;
  if (node.kind === 'scalar' && node.style === 'PLAIN') {
    if (TRUE.has(node.text)) {
      return true;
    }
    if (FALSE.has(node.text)) {
      return false;
    }
  }
  wrongType(spot, 'true or false', report);
  return undefined;
}

export function readList(spot: Spot, report: Report): readonly Spot[] | undefined {
  const { node, path } = spot;
  if (node.kind !== 'list') {
    wrongType(spot, 'a list (- item)', report);
    return undefined;
  }
  return node.items.map((item, index) => {
    const here = `${path}[${index}]`;
    report.remember(here, item.at);
    return { node: item, path: here };
  });
}

export function wrongType({ node, path }: Spot, wanted: string, report: Report): void {
  const reason = `${path === '' ? 'The document' : path} must be ${wanted}, not ${describeNode(node)}.`;
  report.refuse(node.at, { path, code: 'WRONG_TYPE', reason, remedy: `Write ${wanted}.` });
}

export const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

function ifDefined<T, R>(value: T | undefined, then: (value: T) => R): R | undefined {
  return value === undefined ? undefined : then(value);
}
