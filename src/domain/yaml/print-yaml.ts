/** Prints a tree so that every scalar reads back as it was written: plain stays plain, quoted stays quoted. */
import { Document, Pair, Scalar, YAMLMap, YAMLSeq, type Node } from 'yaml';
import { isNull, type YamlNode, type YamlScalar } from './yaml-tree';

export function printYaml(documents: readonly YamlNode[]): string {
  return documents.map(printDocument).join('---\n');
}

function printDocument(root: YamlNode): string {
  const document = new Document(undefined, {
    schema: 'failsafe',
    version: '1.2',
    aliasDuplicateObjects: false,
  });
  document.contents = toNode(root);
  return document.toString({ lineWidth: 0 });
}

function toNode(node: YamlNode): Node {
  if (node.kind === 'scalar') {
    return toScalar(node);
  }
  if (node.kind === 'list') {
    const list = new YAMLSeq();
    list.items = node.items.map(toNode);
    return list;
  }
  const map = new YAMLMap();
  map.items = node.entries.map(({ key, value }) => new Pair(toScalar(key), toNode(value)));
  return map;
}

function toScalar(node: YamlScalar): Scalar {
  const scalar = new Scalar(isNull(node) ? 'null' : node.text);
  scalar.type = node.style;
  return scalar;
}
