/** May this patch be stored? Its shape is what Talos loads, and it touches nothing that Quorate owns. */
import { compareVersions, minorOf } from '../version/parse-version';
import type { Report } from '../yaml/report';
import { suggestKey } from '../yaml/suggest-key';
import { describeNode, entryOf, isNull, type Place, type YamlMap, type YamlNode } from '../yaml/yaml-tree';
import { DOCUMENT_FIELDS, DOCUMENT_KINDS, FIRST_MINOR_WITH_GAPS, firstMinorOf } from './document-kinds';
import { findReserved } from './find-reserved';
import { findWrongValues } from './find-wrong-values';
import { ANY, MACHINE_CONFIG_FIELDS, type FieldTree } from './machine-config-fields';
import { reservedFor, type PatchTarget } from './reserved-fields';

export interface PatchContext extends PatchTarget {
  /** Without v; undefined when the template names none that is legible. */
  readonly talosVersion?: string;
  /** What names the patch in messages, such as `Workers[gpu].patches[0]`. */
  readonly path: string;
  /** Where the patch is named, for faults that have no place of their own. */
  readonly at: Place;
}

type Fault = { readonly code: string; readonly reason: string; readonly remedy: string };

export function checkPatch(documents: readonly YamlNode[], context: PatchContext, report: Report): void {
  const checker = new PatchChecker(context, report);
  // Talos skips null documents in a patch; one that holds nothing else is a mistake.
  const written = documents.filter((document) => !isNull(document));
  if (written.length === 0) {
    checker.refuse(context.at, '', {
      code: 'PATCH_EMPTY',
      reason: 'The patch holds no configuration document.',
      remedy: 'Write a patch into it, or take it off the list.',
    });
  }
  const seen = new Map<string, Place>();
  for (const document of written) {
    checker.checkDocument(document, seen);
  }
}

class PatchChecker {
  constructor(
    private readonly context: PatchContext,
    private readonly report: Report,
  ) {}

  refuse(at: Place, below: string, fault: Fault): void {
    this.report.refuse(at, { path: this.pathOf(below), ...fault });
  }

  private pathOf(below: string): string {
    return below === '' ? this.context.path : `${this.context.path}: ${below}`;
  }

  checkDocument(document: YamlNode, seen: Map<string, Place>): void {
    if (document.kind === 'list') {
      return this.refuse(document.at, '', jsonPatchFault(document));
    }
    if (document.kind === 'scalar') {
      return this.refuse(document.at, '', {
        code: 'PATCH_NOT_A_MAPPING',
        reason: `A patch document must be a mapping, not ${describeNode(document)}.`,
        remedy: 'Write machine: or cluster:, or a document with apiVersion and kind.',
      });
    }
    const kind = this.kindOf(document);
    if (kind === 'unreadable') {
      return;
    }
    this.checkRepeated(document, kind?.name, seen);
    this.checkFields(document, kind?.name);
    this.checkReserved(document, kind?.name);
    for (const { at, below, ...fault } of findWrongValues(document, kind?.name, this.context.talosVersion)) {
      this.refuse(at, below, fault);
    }
  }

  /** Undefined for the v1alpha1 document, which has neither apiVersion nor kind. */
  private kindOf(document: YamlMap): { readonly name: string } | undefined | 'unreadable' {
    const kind = entryOf(document, 'kind');
    const apiVersion = entryOf(document, 'apiVersion');
    if (kind === undefined && apiVersion === undefined) {
      return undefined;
    }
    const named = kind?.value.kind === 'scalar' ? kind.value.text : '';
    if (named === '' || apiVersion?.value.kind !== 'scalar' || apiVersion.value.text !== 'v1alpha1') {
      this.refuse((kind ?? apiVersion)?.key.at ?? document.at, named, {
        code: 'PATCH_API_VERSION',
        reason: 'A Talos document needs both apiVersion: v1alpha1 and a kind.',
        remedy: 'Add what is missing; Kubernetes manifests belong under kubernetes.manifests.',
      });
      return 'unreadable';
    }
    return this.knowsKind(named, kind?.value.at ?? document.at) ? { name: named } : 'unreadable';
  }

  private knowsKind(kind: string, at: Place): boolean {
    const since = firstMinorOf(kind);
    const { talosVersion } = this.context;
    const minor = talosVersion === undefined ? FIRST_MINOR_WITH_GAPS : minorOf(talosVersion);
    if (since === undefined) {
      return this.judgeUnlistedKind(kind, at, minor);
    }
    if (compareVersions(since, minor) > 0) {
      this.refuse(at, kind, {
        code: 'PATCH_KIND_TOO_NEW',
        reason: `Talos ${talosVersion ?? minor} does not know ${kind}; it came with Talos ${since}.`,
        remedy: `Raise talos.version to ${since}, or use the older spelling under machine: or cluster:.`,
      });
    }
    return true;
  }

  private judgeUnlistedKind(kind: string, at: Place, minor: string): boolean {
    const near = suggestKey(kind, DOCUMENT_KINDS);
    if (near === undefined && kind.endsWith('Config') && compareVersions(minor, FIRST_MINOR_WITH_GAPS) >= 0) {
      const reason = `Quorate does not know the document kind ${kind}.`;
      const remedy = 'Check its spelling; the machine judges it when the config is applied.';
      this.report.warn(at, { path: this.pathOf(kind), code: 'PATCH_KIND_UNKNOWN', reason, remedy });
      return true;
    }
    this.refuse(at, kind, {
      code: 'PATCH_KIND_UNKNOWN',
      reason: `Talos ${minor} has no document kind ${kind}.`,
      remedy: near === undefined ? 'Kinds are case-sensitive and end in Config.' : `Did you mean ${near}?`,
    });
    return false;
  }

  private checkRepeated(document: YamlMap, kind: string | undefined, seen: Map<string, Place>): void {
    const name = entryOf(document, 'name')?.value;
    const identity = kind === undefined ? 'v1alpha1' : `${kind}/${name?.kind === 'scalar' ? name.text : ''}`;
    const first = seen.get(identity);
    if (first === undefined) {
      seen.set(identity, document.at);
      return;
    }
    this.refuse(document.at, kind ?? '', {
      code: 'PATCH_REPEATED_DOCUMENT',
      reason: `The patch holds the same document twice; the first is on line ${first.line}.`,
      remedy: 'Merge the two into one document, or make two patches.',
    });
  }

  private checkFields(document: YamlMap, kind: string | undefined): void {
    if (kind === undefined) {
      this.checkTree(document, MACHINE_CONFIG_FIELDS, '');
      return;
    }
    const tree = DOCUMENT_FIELDS[kind];
    if (tree !== undefined && tree !== ANY) {
      this.checkTree(document, { apiVersion: ANY, kind: ANY, ...tree }, '');
    }
  }

  private checkTree(node: YamlNode, tree: FieldTree, path: string): void {
    if (tree === ANY || node.kind === 'scalar') {
      return;
    }
    if (node.kind === 'list') {
      node.items.forEach((item, index) => this.checkTree(item, tree, `${path}[${index}]`));
      return;
    }
    const known = Object.keys(tree);
    for (const { key, value } of node.entries) {
      const here = path === '' ? key.text : `${path}.${key.text}`;
      const below = Object.hasOwn(tree, key.text) ? tree[key.text] : undefined;
      if (below !== undefined) {
        this.checkTree(value, below, here);
      } else if (key.text !== '$patch') {
        this.refuse(key.at, here, unknownField(key.text, path, known));
      }
    }
  }

  private checkReserved(document: YamlMap, kind: string | undefined): void {
    for (const { field, at } of findReserved(document, kind, reservedFor(this.context))) {
      this.refuse(at, field, {
        code: 'PATCH_RESERVED_FIELD',
        reason: `${field} is set by Quorate${this.context.managed ? ' in a managed cluster' : ''}.`,
        remedy: this.remedyFor(field),
      });
    }
  }

  private remedyFor(field: string): string {
    const { role, managed } = this.context;
    const remedy = REMEDIES[field] ?? 'Remove it from the patch.';
    if (!managed || role !== 'any') {
      return remedy;
    }
    const forWorkers = reservedFor({ role: 'worker', managed });
    const reservedThere = [...forWorkers.paths, ...forWorkers.kinds, ...forWorkers.kindPaths].includes(field);
    return reservedThere
      ? remedy
      : 'It would reach the control plane too: move it to the patches of Workers.';
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  'machine.install.disk': 'Write install.disk in the Machine document instead.',
  'machine.install.extensions': 'Use systemExtensions instead.',
  'machine.install': 'The platform chooses image and disk of its control planes; remove it.',
};

function unknownField(key: string, path: string, known: readonly string[]): Fault {
  const near = suggestKey(key, known);
  const wrongLevel =
    path === 'machine' && key === 'interfaces' ? 'It belongs under machine.network.' : undefined;
  return {
    code: 'PATCH_UNKNOWN_FIELD',
    reason: `Talos has no field "${key}" ${path === '' ? 'at the top of a patch' : `in ${path}`}.`,
    remedy:
      wrongLevel ?? (near === undefined ? `Known fields: ${known.join(', ')}.` : `Did you mean "${near}"?`),
  };
}

function jsonPatchFault(list: YamlNode): Fault {
  const isJsonPatch = list.kind === 'list' && list.items.some((item) => entryOf(item, 'op') !== undefined);
  return isJsonPatch
    ? {
        code: 'PATCH_JSON6902',
        reason: 'JSON6902 patches are not supported for multi-document machine configuration.',
        remedy: 'Write a strategic merge patch: the mapping as it shall be, for instance machine: {...}.',
      }
    : {
        code: 'PATCH_NOT_A_MAPPING',
        reason: 'A patch document must be a mapping, not a list.',
        remedy: 'Separate documents by --- instead of list items.',
      };
}
