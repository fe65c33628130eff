/** A machine config is a stream of YAML documents; numbers keep the spelling that their author gave them. */
import { parseAllDocuments, stringify, type ScalarTag, type Tags, Scalar } from 'yaml';
import { DomainError } from '../shared/errors';

/**
 * A number whose spelling would change on its way through JavaScript (0o644, 0644, 1.10, 1_000). Talos reads many such
 * values as strings or as octal numbers, so they are passed on as written.
 */
export class NumberText {
  constructor(readonly text: string) {}

  toJSON(): string {
    return this.text;
  }
}

export type ConfigScalar = string | number | boolean | NumberText | null;
export type ConfigValue = ConfigScalar | ConfigValue[] | ConfigMap;
export interface ConfigMap {
  [key: string]: ConfigValue;
}

/** What makes two documents the same one; the v1alpha1 document has neither apiVersion, kind nor name. */
export interface DocumentIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

const numberText: ScalarTag = {
  identify: (value) => value instanceof NumberText,
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: /^[-+]?(?:0o[0-7_]+|0x[0-9a-fA-F_]+|0b[01_]+|(?:[0-9][0-9_]*)?\.?[0-9][0-9_]*\.?(?:[eE][-+]?[0-9]+)?)$/,
  resolve: (text) => (String(Number(text)) === text ? Number(text) : new NumberText(text)),
  stringify: ({ value }) => (value as NumberText).text,
};

// The core schema's own numbers still serve for printing; parsing meets `numberText` first.
const customTags = (tags: Tags): Tags => [numberText, ...tags];

/** @throws DomainError `invalid` CONFIG_NOT_YAML. */
export function parseConfigDocuments(yaml: string): ConfigMap[] {
  const documents = parseAllDocuments(yaml, { customTags, merge: true });
  const parsed = 'empty' in documents ? [] : documents;
  const out: ConfigMap[] = [];
  for (const document of parsed) {
    const [error] = document.errors;
    if (error !== undefined) {
      throw new DomainError('invalid', 'CONFIG_NOT_YAML', error.message);
    }
    const value = document.toJS({ maxAliasCount: 100 }) as ConfigValue;
    if (value === null) {
      continue;
    }
    if (!isMap(value)) {
      throw new DomainError('invalid', 'CONFIG_NOT_YAML', 'each document must be a mapping');
    }
    out.push(value);
  }
  return out;
}

/** `yaml-1.1`: Talos's parser reads some plain words by the older rules, so those are quoted. */
export function printConfigDocuments(documents: readonly ConfigMap[]): string {
  return documents
    .map((d) =>
      stringify(d, {
        customTags,
        compat: 'yaml-1.1',
        lineWidth: 0,
        aliasDuplicateObjects: false,
        defaultStringType: Scalar.PLAIN,
      }),
    )
    .join('---\n');
}

export function isMap(value: ConfigValue | undefined): value is ConfigMap {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  );
}

/** The value at a dotted path of mappings; undefined when any part is absent. */
export function valueAt(document: ConfigMap, path: string): ConfigValue | undefined {
  let at: ConfigValue | undefined = document;
  for (const key of path.split('.')) {
    at = isMap(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

export function identityOf(document: ConfigMap): DocumentIdentity {
  const text = (key: string): string => {
    const value = document[key];
    return typeof value === 'string' ? value : '';
  };
  const kind = text('kind');
  return { apiVersion: text('apiVersion'), kind, name: kind === '' ? '' : text('name') };
}

export const isV1Alpha1 = (document: ConfigMap): boolean => identityOf(document).kind === '';

export const sameDocument = (a: DocumentIdentity, b: DocumentIdentity): boolean =>
  a.apiVersion === b.apiVersion && a.kind === b.kind && a.name === b.name;

export function describeDocument({ apiVersion, kind, name }: DocumentIdentity): string {
  return kind === '' ? 'v1alpha1' : [apiVersion, kind, name].filter((part) => part !== '').join('/');
}
