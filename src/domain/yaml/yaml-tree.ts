/** YAML as people wrote it: every scalar keeps its text (1.30 stays 1.30, off stays off) and every node its place. */

export interface Place {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

export type ScalarStyle = 'PLAIN' | 'QUOTE_SINGLE' | 'QUOTE_DOUBLE' | 'BLOCK_LITERAL' | 'BLOCK_FOLDED';

export interface YamlScalar {
  readonly kind: 'scalar';
  readonly text: string;
  readonly style: ScalarStyle;
  readonly at: Place;
}

export interface YamlEntry {
  readonly key: YamlScalar;
  readonly value: YamlNode;
}

export interface YamlMap {
  readonly kind: 'map';
  readonly entries: readonly YamlEntry[];
  readonly at: Place;
}

export interface YamlList {
  readonly kind: 'list';
  readonly items: readonly YamlNode[];
  readonly at: Place;
}

export type YamlNode = YamlScalar | YamlMap | YamlList;

const NULLS = new Set(['', '~', 'null', 'Null', 'NULL']);

export function isNull(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.style === 'PLAIN' && NULLS.has(node.text);
}

export function entryOf(node: YamlNode, key: string): YamlEntry | undefined {
  return node.kind === 'map' ? node.entries.find((entry) => entry.key.text === key) : undefined;
}

/** For messages: what the node is, in a word. */
export function describeNode(node: YamlNode): string {
  if (isNull(node)) {
    return 'nothing';
  }
  return node.kind === 'scalar'
    ? `the value "${shorten(node.text)}"`
    : `a ${node.kind === 'map' ? 'mapping' : 'list'}`;
}

export function shorten(text: string): string {
  const line = text.replaceAll('\n', ' ');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}
