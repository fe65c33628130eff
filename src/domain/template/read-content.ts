/** The text behind `file:` or `inline:`, as YAML documents with their places. Exactly one of the two is wanted. */
import { type Fields, type Spot, wrongType } from '../yaml/fields';
import { printYaml } from '../yaml/print-yaml';
import { readYaml } from '../yaml/read-yaml';
import type { YamlNode, YamlScalar } from '../yaml/yaml-tree';
import { resolveFilePath } from './resolve-file-path';
import type { TemplateContext } from './template-context';

export interface Content {
  readonly text: string;
  /** Absent when the text is not to be read as YAML, or cannot be. */
  readonly documents?: readonly YamlNode[];
  /** Normalized path, when it came from a file. */
  readonly file?: string;
}

export interface ContentRules {
  /** `inline`, or `job` for health checks. */
  readonly inlineKey: string;
  readonly parse: boolean;
}

export function readContent(
  fields: Fields,
  rules: ContentRules,
  context: TemplateContext,
): Content | undefined {
  const file = fields.get('file');
  const inline = fields.get(rules.inlineKey);
  if (file !== undefined && inline !== undefined) {
    const reason = `file and ${rules.inlineKey} exclude each other.`;
    fields.refuse(rules.inlineKey, 'CONTENT_TWICE', reason, 'Remove one of them.');
    return undefined;
  }
  if (file !== undefined) {
    return readFile(file, rules, context);
  }
  if (inline !== undefined) {
    const content = readInline(inline, rules, context);
    return fits(content.text, inline, context) ? content : undefined;
  }
  const path = `${fields.path}.${rules.inlineKey}`;
  const reason = `${fields.path} has neither file nor ${rules.inlineKey}.`;
  context.report.refuse(fields.at, { path, code: 'CONTENT_MISSING', reason, remedy: 'Write one of them.' });
  return undefined;
}

function readFile(spot: Spot, rules: ContentRules, context: TemplateContext): Content | undefined {
  const { report } = context;
  if (spot.node.kind !== 'scalar') {
    wrongType(spot, 'a file path', report);
    return undefined;
  }
  const resolved = resolveFilePath(spot.node.text);
  if (resolved.kind === 'refused') {
    const { code, reason, remedy } = resolved;
    report.refuse(spot.node.at, { path: spot.path, code, reason, remedy });
    return undefined;
  }
  const text = context.files.get(resolved.path);
  if (text === undefined) {
    report.refuse(spot.node.at, {
      path: spot.path,
      code: 'FILE_MISSING',
      reason: `There is no file ${resolved.path} in the folder of the template.`,
      remedy:
        'Paths are relative to the folder of the template; the quorate command sends the files it finds there.',
    });
    return undefined;
  }
  if (!fits(text, spot, context)) {
    return undefined;
  }
  const documents = rules.parse ? parseFile(resolved.path, text, context) : undefined;
  return { text: stripped(text), file: resolved.path, ...(documents && { documents }) };
}

function parseFile(
  path: string,
  text: string,
  { parsedFiles, report }: TemplateContext,
): readonly YamlNode[] {
  const documents = parsedFiles.get(path) ?? readYaml({ text, file: path }, report);
  parsedFiles.set(path, documents);
  return documents;
}

function fits(text: string, spot: Spot, { budget, report }: TemplateContext): boolean {
  if (budget.take(text.length)) {
    return true;
  }
  report.refuse(spot.node.at, { path: spot.path, ...budget.fault });
  return false;
}

function readInline(spot: Spot, rules: ContentRules, context: TemplateContext): Content {
  const { node } = spot;
  if (node.kind !== 'scalar') {
    // A list holds several documents.
    const documents = node.kind === 'list' && !isJsonPatch(node.items) ? node.items : [node];
    return { text: printYaml(documents), documents };
  }
  const source = { text: node.text, file: node.at.file, shift: shiftOf(node) };
  return { text: node.text, ...(rules.parse && { documents: readYaml(source, context.report) }) };
}

function isJsonPatch(items: readonly YamlNode[]): boolean {
  return items.some((item) => item.kind === 'map' && item.entries.some(({ key }) => key.text === 'op'));
}

/** Block scalars begin on the line after their indicator; their indentation is not kept, so columns count from it. */
function shiftOf(node: YamlScalar): { lines: number; columns: number } {
  const isBlock = node.style === 'BLOCK_LITERAL' || node.style === 'BLOCK_FOLDED';
  return { lines: node.at.line - (isBlock ? 0 : 1), columns: isBlock ? 0 : node.at.column };
}

const stripped = (text: string): string => text.replace(/^\ufeff/, '').replace(/\r\n/g, '\n');
