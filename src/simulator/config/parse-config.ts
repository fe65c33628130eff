/** Reads a machine config as strictly as Talos does: unknown keys, unknown kinds and duplicates are errors. */
import { parseAllDocuments } from 'yaml';
import { findKind } from './document-shapes';
import type { ConfigDocument, ParsedConfig, V1Alpha1 } from './node-config';
import { checkShape, type ShapeProblems } from './shape';
import { v1alpha1Shape } from './v1alpha1-shape';

/** Several lines, as Talos words it. */
export class ConfigRefused extends Error {}

export function parseConfig(text: string, talosMinor: number): ParsedConfig {
  const parsed: { v1alpha1?: V1Alpha1; documents: ConfigDocument[] } = { documents: [] };
  for (const content of readDocuments(text)) {
    if ('apiVersion' in content || 'kind' in content) {
      parsed.documents.push(readDocument(content, talosMinor, parsed.documents));
    } else if (parsed.v1alpha1 !== undefined) {
      throw new ConfigRefused('not allowed to have multiple v1alpha1 documents in the machine config');
    } else {
      refuseUnknown(content, v1alpha1Shape, talosMinor);
      parsed.v1alpha1 = content;
    }
  }
  if (parsed.v1alpha1 === undefined && parsed.documents.length === 0) {
    throw new ConfigRefused('no configuration documents provided');
  }
  return parsed;
}

function readDocuments(text: string): Record<string, unknown>[] {
  const documents: Record<string, unknown>[] = [];
  for (const document of parseAllDocuments(text, { uniqueKeys: true, version: '1.2', merge: true })) {
    const [error] = document.errors;
    if (error !== undefined) {
      throw new ConfigRefused(`yaml: ${error.message.split('\n')[0] ?? ''}`);
    }
    const content = document.toJS() as unknown;
    if (content === null || content === undefined) {
      continue;
    } // Talos skips them too
    if (typeof content !== 'object' || Array.isArray(content)) {
      throw new ConfigRefused('machine configuration document is not a YAML mapping');
    }
    documents.push(content as Record<string, unknown>);
  }
  return documents;
}

function readDocument(
  content: Record<string, unknown>,
  talosMinor: number,
  earlier: readonly ConfigDocument[],
): ConfigDocument {
  const { apiVersion, kind, name, ...rest } = content;
  if (typeof kind !== 'string' || kind === '') {
    throw new ConfigRefused('"kind" is missing in a configuration document');
  }
  const known = findKind(kind);
  if (apiVersion !== 'v1alpha1' || known === undefined || talosMinor < known.since) {
    throw new ConfigRefused(
      `error decoding document ${String(apiVersion)}/${kind}: "${kind}" "${String(apiVersion)}": not registered`,
    );
  }
  if (known.fields !== undefined) {
    refuseUnknown(
      known.named ? rest : { ...rest, ...(name === undefined ? {} : { name }) },
      { fields: known.fields },
      talosMinor,
    );
  }
  const label = typeof name === 'string' ? name : '';
  if (known.fields !== undefined && known.named && label === '') {
    throw new ConfigRefused(`${kind}: name must be specified`);
  }
  if (earlier.some((other) => other.kind === kind && other.name === label)) {
    throw new ConfigRefused(`duplicate document: v1alpha1/${kind}${label === '' ? '' : `/${label}`}`);
  }
  return { kind, name: label, content: rest };
}

function refuseUnknown(content: unknown, shape: Parameters<typeof checkShape>[1], talosMinor: number): void {
  const problems: ShapeProblems = { unknown: [], wrong: [] };
  checkShape(content, shape, talosMinor, '', problems);
  if (problems.wrong.length > 0) {
    throw new ConfigRefused(`yaml: unmarshal errors:\n${lines(problems.wrong)}`);
  }
  if (problems.unknown.length > 0) {
    throw new ConfigRefused(`unknown keys found during decoding:\n${lines(problems.unknown)}`);
  }
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  ${text}`).join('\n');
}
