/** Sorts the documents of a template by kind: exactly one Cluster, exactly one ControlPlane, any number of the rest. */
import type { Spot } from '../yaml/fields';
import type { Report } from '../yaml/report';
import { suggestKey } from '../yaml/suggest-key';
import { describeNode, entryOf, isNull, shorten, type Place, type YamlNode } from '../yaml/yaml-tree';
import { KINDS, type TemplateKind } from './template-fields';

export interface TemplateDocuments {
  readonly cluster: Spot | undefined;
  readonly controlPlane: Spot | undefined;
  readonly workers: readonly Spot[];
  readonly machines: readonly Spot[];
  /** For faults about what is missing: the Cluster document, else the beginning. */
  readonly first: Place;
}

interface Classified {
  readonly kind: TemplateKind;
  readonly spot: Spot;
}

export function collectDocuments(
  nodes: readonly [YamlNode, ...YamlNode[]],
  report: Report,
): TemplateDocuments {
  const classified = nodes.flatMap((node) => classify(node, report) ?? []);
  const ofKind = (kind: TemplateKind): Spot[] =>
    classified.filter((one) => one.kind === kind).map(({ spot }) => spot);
  const [cluster, ...moreClusters] = ofKind('Cluster');
  const [controlPlane, ...moreControlPlanes] = ofKind('ControlPlane');
  refuseMore('Cluster', moreClusters, report);
  refuseMore('ControlPlane', moreControlPlanes, report);
  if (cluster === undefined) {
    const reason = 'The template has no Cluster document.';
    const remedy = 'A template describes one whole cluster: add kind: Cluster.';
    report.refuse(nodes[0].at, { path: 'Cluster', code: 'CLUSTER_MISSING', reason, remedy });
  }
  const first = (cluster?.node ?? nodes[0]).at;
  return { cluster, controlPlane, workers: ofKind('Workers'), machines: ofKind('Machine'), first };
}

function refuseMore(kind: TemplateKind, more: readonly Spot[], report: Report): void {
  for (const { node } of more) {
    const reason = `A template has exactly one ${kind} document; this is one more.`;
    report.refuse(node.at, {
      path: kind,
      code: 'DOCUMENT_TWICE',
      reason,
      remedy: 'Remove it, or move it to a file.',
    });
  }
}

function classify(node: YamlNode, report: Report): Classified | undefined {
  if (isNull(node)) {
    const reason = 'This document is empty: there is nothing between two separators, or after the last.';
    const remedy = 'Remove the --- before it.';
    report.refuse(node.at, { path: '', code: 'DOCUMENT_EMPTY', reason, remedy });
    return undefined;
  }
  const kind = entryOf(node, 'kind');
  if (node.kind !== 'map' || kind === undefined || kind.value.kind !== 'scalar') {
    report.refuse(node.at, { path: 'kind', ...withoutKind(node) });
    return undefined;
  }
  const known = KINDS.find((one) => one === (kind.value.kind === 'scalar' ? kind.value.text : ''));
  if (known === undefined) {
    report.refuse(kind.value.at, { path: 'kind', ...unknownKind(kind.value.text) });
    return undefined;
  }
  return { kind: known, spot: { node, path: pathOf(known, node) } };
}

function pathOf(kind: TemplateKind, node: YamlNode): string {
  const name = entryOf(node, 'name')?.value;
  const written = name?.kind === 'scalar' && !isNull(name) ? shorten(name.text) : undefined;
  switch (kind) {
    case 'Workers':
      return `Workers[${written ?? 'workers'}]`;
    case 'Machine':
      return `Machine[${written?.toLowerCase() ?? ''}]`;
    case 'Cluster':
    case 'ControlPlane':
      return kind;
  }
}

function withoutKind(node: YamlNode): { code: string; reason: string; remedy: string } {
  if (node.kind !== 'map') {
    const reason = `A document must be a mapping with a kind, not ${describeNode(node)}.`;
    return { code: 'WRONG_TYPE', reason, remedy: `Start it with kind: and one of ${KINDS.join(', ')}.` };
  }
  const near = node.entries.find(({ key }) => suggestKey(key.text, ['kind']) !== undefined)?.key.text;
  const remedy =
    near === undefined ? `Write kind: and one of ${KINDS.join(', ')}.` : `Write kind instead of ${near}.`;
  return { code: 'KIND_MISSING', reason: 'The document has no kind.', remedy };
}

function unknownKind(kind: string): { code: string; reason: string; remedy: string } {
  const isSet = /set$/i.test(kind);
  const near = isSet ? 'Workers' : (suggestKey(kind, KINDS) ?? KINDS.find((known) => kind.includes(known)));
  const remedy = near === undefined ? `Kinds are ${KINDS.join(', ')}.` : `Did you mean ${near}?`;
  return { code: 'KIND_UNKNOWN', reason: `There is no kind "${shorten(kind)}".`, remedy };
}
