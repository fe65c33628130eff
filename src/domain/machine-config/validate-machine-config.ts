/** Whether a Talos of a given version would take this config: the checks that `talosctl validate` makes for metal. */
import { DomainError, type Violation } from '../shared/errors';
import {
  describeDocument,
  identityOf,
  isMap,
  isV1Alpha1,
  parseConfigDocuments,
  type ConfigMap,
  type ConfigValue,
} from './config-document';
import { checkTogether, checkV1Alpha1, type Finding } from './config-rules';
import { kindSince } from './document-kinds';
import { talosContract, type TalosContract } from './talos-contract';
import { V1ALPHA1_FIELDS, type FieldTree } from './v1alpha1-fields';

/** Empty: valid. Paths are dotted; those of other documents start with their kind. */
export function validateMachineConfig(yaml: string, talosVersion: string): Violation[] {
  const contract = talosContract(talosVersion);
  let documents: ConfigMap[];
  try {
    documents = parseConfigDocuments(yaml);
  } catch (error) {
    if (error instanceof DomainError) {
      return [{ path: '', code: error.code, reason: error.message, remedy: 'Correct the YAML.' }];
    }
    throw error;
  }
  return [
    ...documents.flatMap((d) => checkDocument(d, contract)),
    ...checkDoubles(documents),
    ...checkPresence(documents),
    ...checkTogether(documents),
  ];
}

function checkDocument(document: ConfigMap, contract: TalosContract): Finding[] {
  if (isV1Alpha1(document)) {
    return [...unknownKeys(document, V1ALPHA1_FIELDS, []), ...checkV1Alpha1(document)];
  }
  const { apiVersion, kind } = identityOf(document);
  const since = kindSince(kind);
  if (apiVersion === 'v1alpha1' && since !== undefined && since <= contract) {
    return [];
  }
  const reason =
    since === undefined || apiVersion !== 'v1alpha1' ? 'no Talos knows this kind' : `needs Talos 1.${since}`;
  return [{ path: kind, code: 'CONFIG_KIND_UNKNOWN', reason, remedy: 'Remove the document.' }];
}

function unknownKeys(value: ConfigValue, tree: FieldTree, path: readonly string[]): Finding[] {
  if (tree === 'any' || value === null) {
    return [];
  }
  if (isList(tree)) {
    return Array.isArray(value)
      ? value.flatMap((element, i) => unknownKeys(element, tree[0], [...path, String(i)]))
      : [wrongType(path, 'a list')];
  }
  if (!isMap(value)) {
    return [wrongType(path, 'a mapping')];
  }
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = Object.hasOwn(tree, key) ? tree[key] : undefined;
    const at = [...path, key];
    return known === undefined
      ? [
          {
            path: at.join('.'),
            code: 'CONFIG_KEY_UNKNOWN',
            reason: 'Talos knows no such key',
            remedy: 'Remove it or correct its spelling.',
          },
        ]
      : unknownKeys(inner, known, at);
  });
}

const isList = (tree: Exclude<FieldTree, 'any'>): tree is readonly [FieldTree] => Array.isArray(tree);

const wrongType = (path: readonly string[], expected: string): Finding => ({
  path: path.join('.'),
  code: 'CONFIG_VALUE_INVALID',
  reason: `must be ${expected}`,
  remedy: 'Correct it.',
});

function checkDoubles(documents: readonly ConfigMap[]): Finding[] {
  const names = documents.map((d) => describeDocument(identityOf(d)));
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))].map((name) => ({
    path: name,
    code: 'CONFIG_DOCUMENT_DUPLICATE',
    reason: 'the document is there twice',
    remedy: 'Keep one.',
  }));
}

function checkPresence(documents: readonly ConfigMap[]): Finding[] {
  return documents.some(isV1Alpha1)
    ? []
    : [
        {
          path: '',
          code: 'CONFIG_FIELD_MISSING',
          reason: 'the v1alpha1 document is missing',
          remedy: 'Add machine and cluster.',
        },
      ];
}
