/**
 * Which files beside a template it names: `file:` of patches, manifests and health checks. The server decides what is
 * valid; here it only matters which files to send along.
 */
import { isAlias, isCollection, isMap, isScalar, isSeq, parseAllDocuments, type Document } from 'yaml';

const PLACES = [['patches'], ['kubernetes', 'manifests'], ['kubernetes', 'healthchecks']] as const;

/** `./patches//a.yaml` -> `patches/a.yaml`; undefined for what is absolute or leaves the folder. */
export function insidePath(written: string): string | undefined {
  if (/^(?:[/\\~]|[A-Za-z]:|[a-z][a-z0-9+.-]*:)/.test(written) || /[\\\0]/.test(written)) {
    return undefined;
  }
  const steps: string[] = [];
  for (const step of written.split('/')) {
    if (step === '..' && steps.pop() === undefined) {
      return undefined;
    }
    if (step !== '' && step !== '.' && step !== '..') {
      steps.push(step);
    }
  }
  return steps.length === 0 ? undefined : steps.join('/');
}

function resolved(node: unknown, document: Document): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function nodeAt(document: Document, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => {
    return isCollection(at) ? resolved(at.get(key, true), document) : undefined;
  }, document.contents);
}

function filesAt(document: Document, path: readonly string[]): string[] {
  const list = nodeAt(document, path);
  const items = isSeq(list) ? list.items.map((item) => resolved(item, document)) : [];
  return items.flatMap((item) => {
    const file = isMap(item) ? resolved(item.get('file', true), document) : undefined;
    return isScalar(file) && typeof file.value === 'string' ? [file.value] : [];
  });
}

/** In order of appearance, normalized, without those outside the folder; nothing when the text is no YAML. */
export function referencedFiles(text: string): string[] {
  const documents = parseAllDocuments(text.replace(/^\uFEFF/, ''), { uniqueKeys: false, logLevel: 'silent' });
  const written = [...documents].flatMap((document) => PLACES.flatMap((path) => filesAt(document, path)));
  return [...new Set(written.map(insidePath).filter((path) => path !== undefined))];
}

/** The cluster that a template is about, for the question before a deletion. */
export function clusterNameOf(text: string): string | undefined {
  const documents = [
    ...parseAllDocuments(text.replace(/^\uFEFF/, ''), { uniqueKeys: false, logLevel: 'silent' }),
  ];
  const names = documents
    .filter((document) => isMap(document.contents) && document.get('kind') === 'Cluster')
    .map((document) => document.get('name'));
  return names.length === 1 && typeof names[0] === 'string' ? names[0] : undefined;
}
