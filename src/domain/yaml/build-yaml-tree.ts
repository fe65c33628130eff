/** From the parser's nodes to the tree: aliases and merge keys are resolved, duplicate keys and bombs refused. */
import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Report } from './report';
import { MAX_ALIAS_NODES, MAX_DEPTH } from './yaml-limits';
import type { Place, ScalarStyle, YamlEntry, YamlMap, YamlNode, YamlScalar } from './yaml-tree';

/** NUL and lone surrogates: legal to write, impossible to store. */
const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export class TreeBuilder {
  private readonly anchors = new Map<string, Node>();
  private readonly open = new Set<Node>();
  private aliasNodes = 0;
  private aliasDepth = 0;
  /** Aliases went beyond the limit: what was built since is not what was written. */
  overrun = false;

  constructor(
    private readonly place: (offset: number) => Place,
    private readonly report: Report,
  ) {}

  build(node: Node | null | undefined, offset: number): YamlNode {
    const at = this.place(node?.range?.[0] ?? offset);
    if (node === null || node === undefined || this.exhausted(at)) {
      return scalar('', 'PLAIN', at);
    }
    if (isAlias(node)) {
      return this.buildAlias(node.source, at);
    }
    if ('anchor' in node && node.anchor !== undefined && this.aliasDepth === 0) {
      this.anchors.set(node.anchor, node);
    }
    this.open.add(node);
    const built = this.buildPlain(node, at);
    this.open.delete(node);
    return built;
  }

  private buildPlain(node: Node, at: Place): YamlNode {
    if (isMap(node)) {
      return this.buildMap(node, at);
    }
    if (isSeq(node)) {
      const items = (node as YAMLSeq<Node | null>).items;
      return { kind: 'list', items: items.map((item) => this.build(item, node.range?.[0] ?? 0)), at };
    }
    if (!isScalar(node)) {
      return scalar('', 'PLAIN', at);
    }
    const text = node.source ?? '';
    if (UNSTORABLE.test(text)) {
      this.refuse(
        at,
        'YAML_CHARACTER',
        'The value holds a NUL or half a surrogate pair.',
        'Remove that character.',
      );
      return scalar('', 'QUOTE_DOUBLE', at);
    }
    return scalar(text, node.type ?? 'PLAIN', at);
  }

  private buildMap(node: YAMLMap, at: Place): YamlMap {
    const own = new Map<string, YamlEntry>();
    const merged = new Map<string, YamlEntry>();
    for (const pair of node.items as Pair<Node | null, Node | null>[]) {
      const keyNode = pair.key;
      const keyAt = this.place(keyNode?.range?.[0] ?? node.range?.[0] ?? 0);
      if (!isScalar(keyNode)) {
        this.refuse(keyAt, 'YAML_KEY', 'A key is not a plain word.', TEMPLATING_REMEDY);
        continue;
      }
      const key = this.build(keyNode, 0) as YamlScalar;
      const value = this.build(pair.value, keyNode.range?.[1] ?? 0);
      if (key.text === '<<' && key.style === 'PLAIN') {
        this.merge(value, merged);
      } else if (own.has(key.text)) {
        this.refuseDuplicate(key, own.get(key.text)?.key.at);
      } else {
        own.set(key.text, { key, value });
      }
    }
    const inherited = [...merged.values()].filter((entry) => !own.has(entry.key.text));
    return { kind: 'map', entries: [...own.values(), ...inherited], at };
  }

  /** `<<`: one mapping or a list of them; the first to name a key wins, and own keys win over all. */
  private merge(value: YamlNode, into: Map<string, YamlEntry>): void {
    const sources = value.kind === 'list' ? value.items : [value];
    for (const source of sources) {
      if (source.kind !== 'map') {
        this.refuse(
          source.at,
          'YAML_MERGE',
          'A merge key (<<) needs a mapping.',
          'Point it at an anchored mapping.',
        );
        continue;
      }
      for (const entry of source.entries) {
        if (!into.has(entry.key.text)) {
          into.set(entry.key.text, entry);
        }
      }
    }
  }

  private buildAlias(name: string, at: Place): YamlNode {
    const target = this.anchors.get(name);
    if (target === undefined) {
      this.refuse(
        at,
        'YAML_UNKNOWN_ANCHOR',
        `The alias *${name} has no anchor &${name} before it in this document.`,
        'Anchors end with their document (---): repeat the anchor in this document.',
      );
      return scalar('', 'PLAIN', at);
    }
    if (this.open.has(target)) {
      this.refuse(at, 'YAML_ALIAS_LOOP', `The alias *${name} contains itself.`, 'Write the value out.');
      return scalar('', 'PLAIN', at);
    }
    this.aliasDepth += 1;
    const built = this.build(target, 0);
    this.aliasDepth -= 1;
    return built;
  }

  private exhausted(at: Place): boolean {
    if (this.aliasDepth > 0) {
      this.aliasNodes += 1;
    }
    const beyond = this.aliasNodes > MAX_ALIAS_NODES || this.open.size > MAX_DEPTH * 2;
    if (beyond && !this.overrun) {
      this.overrun = true;
      const reason = `Aliases expand to more than ${MAX_ALIAS_NODES} values.`;
      this.refuse(at, 'YAML_ALIAS_LIMIT', reason, 'Write the values out, or use a patch file.');
    }
    return this.overrun;
  }

  private refuseDuplicate(key: YamlScalar, first: Place | undefined): void {
    const reason = `The key "${key.text}" stands twice in one mapping; the first is on line ${first?.line ?? 0}.`;
    const remedy = 'Remove one of them, or put a separator (---) in column 1 where a new document begins.';
    this.report.refuse(key.at, { path: key.text, code: 'DUPLICATE_KEY', reason, remedy });
  }

  private refuse(at: Place, code: string, reason: string, remedy: string): void {
    this.report.refuse(at, { path: '', code, reason, remedy });
  }
}

export const TEMPLATING_REMEDY =
  'Templating such as {{ x }}, {% x %} or ${x} is not expanded: render it first, or quote it when it is meant literally.';

const scalar = (text: string, style: ScalarStyle, at: Place): YamlScalar => ({
  kind: 'scalar',
  text,
  style,
  at,
});
