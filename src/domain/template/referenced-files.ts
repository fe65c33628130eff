/** Which files beside a template it needs: for whoever sends them along. Faulty references are left to the parser. */
import { Report } from '../yaml/report';
import { readYaml } from '../yaml/read-yaml';
import { entryOf, type YamlNode } from '../yaml/yaml-tree';
import { resolveFilePath } from './resolve-file-path';

/** Normalized paths in order of appearance, without those that leave the folder; [] when the text is no YAML. */
export function referencedFiles(text: string): string[] {
  const documents = readYaml({ text, file: '' }, new Report());
  const named = documents.flatMap((document) => [
    ...filesOf(document, ['patches']),
    ...filesOf(document, ['kubernetes', 'manifests']),
    ...filesOf(document, ['kubernetes', 'healthchecks']),
  ]);
  return [...new Set(named)];
}

/** The cluster that a template is about, or undefined: enough to ask for its status or its deletion. */
export function templateClusterName(text: string): string | undefined {
  const documents = readYaml({ text, file: '' }, new Report());
  const clusters = documents.filter((document) => textOf(document, 'kind') === 'Cluster');
  return clusters.length === 1 && clusters[0] !== undefined ? textOf(clusters[0], 'name') : undefined;
}

function filesOf(document: YamlNode, path: readonly string[]): string[] {
  const list = path.reduce<YamlNode | undefined>((node, key) => node && entryOf(node, key)?.value, document);
  const items = list?.kind === 'list' ? list.items : [];
  return items.flatMap((item) => {
    const written = textOf(item, 'file');
    const resolved = written === undefined ? undefined : resolveFilePath(written);
    return resolved?.kind === 'inside' ? [resolved.path] : [];
  });
}

function textOf(node: YamlNode, key: string): string | undefined {
  const value = entryOf(node, key)?.value;
  return value?.kind === 'scalar' && value.text !== '' ? value.text : undefined;
}
