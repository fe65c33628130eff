/** Reads a stream of YAML documents written by a stranger: bounded, every fault with its place and what to do. */
import { Composer, LineCounter, type Document, type YAMLError } from 'yaml';
import { TEMPLATING_REMEDY, TreeBuilder } from './build-yaml-tree';
import type { Report } from './report';
import { exceedsBytes, MAX_DEPTH, MAX_LEXEMES, MAX_LINES, MAX_TEXT_BYTES, parseBounded } from './yaml-limits';
import type { Place, YamlNode } from './yaml-tree';

export interface YamlSource {
  readonly text: string;
  readonly file: string;
  /** Where the text stands inside a larger one: added to every place. */
  readonly shift?: { readonly lines: number; readonly columns: number };
}

/**
 * The documents that could be read; faults go to the report, and no document is returned when the text has syntax
 * faults, since what follows one is guesswork.
 */
export function readYaml(source: YamlSource, report: Report): readonly YamlNode[] {
  const text = normalize(source.text);
  const at = (line: number, column: number): Place => shifted(source, line, column);
  const tooLarge = sizeFault(text);
  if (tooLarge !== undefined) {
    report.refuse(at(1, 1), { path: '', ...tooLarge });
    return [];
  }
  const counter = new LineCounter();
  const place = (offset: number): Place => {
    const { line, col } = counter.linePos(offset);
    return at(Math.max(1, line), Math.max(1, col));
  };
  const parsed = parseBounded(text, counter.addNewLine);
  if ('tooManyParts' in parsed) {
    report.refuse(at(1, 1), { path: '', ...tooLargeFault(`More than ${MAX_LEXEMES} words and signs.`) });
    return [];
  }
  if ('tooDeepAt' in parsed) {
    const reason = `Values nest deeper than ${MAX_DEPTH} levels.`;
    const fault = { path: '', code: 'YAML_DEPTH', reason, remedy: 'Flatten the structure.' };
    // The counter has seen nothing when the raw text was refused.
    report.refuse(placeOf(text, parsed.tooDeepAt, at), fault);
    return [];
  }
  const composer = new Composer({ schema: 'failsafe', uniqueKeys: false, version: '1.2' });
  const documents = [...composer.compose(parsed.tokens, true, text.length)];
  const broken = documents.flatMap((document) => [...document.errors, ...document.warnings]);
  if (broken.length > 0) {
    reportSyntax(broken, { text, place, report });
    return [];
  }
  return buildDocuments(documents, place, report);
}

function buildDocuments(
  documents: readonly Document[],
  place: (offset: number) => Place,
  report: Report,
): readonly YamlNode[] {
  const nodes: YamlNode[] = [];
  for (const document of documents) {
    const builder = new TreeBuilder(place, report);
    nodes.push(builder.build(document.contents, document.range?.[0] ?? 0));
    if (builder.overrun) {
      return [];
    }
  }
  return nodes;
}

function normalize(text: string): string {
  return text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
}

function shifted({ file, shift }: YamlSource, line: number, column: number): Place {
  return { file, line: line + (shift?.lines ?? 0), column: column + (shift?.columns ?? 0) };
}

function placeOf(text: string, offset: number, at: (line: number, column: number) => Place): Place {
  const before = text.slice(0, offset);
  return at(before.split('\n').length, offset - before.lastIndexOf('\n'));
}

function sizeFault(text: string): ReturnType<typeof tooLargeFault> | undefined {
  if (exceedsBytes(text, MAX_TEXT_BYTES)) {
    return tooLargeFault('The text is larger than 1 MiB.');
  }
  const lines = countLines(text);
  return lines <= MAX_LINES ? undefined : tooLargeFault(`${lines} lines are more than ${MAX_LINES}.`);
}

const tooLargeFault = (reason: string): { code: string; reason: string; remedy: string } => ({
  code: 'YAML_TOO_LARGE',
  reason,
  remedy: 'Split it: large manifests belong into files of their own.',
});

function countLines(text: string): number {
  let lines = 1;
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) {
    lines += 1;
  }
  return lines;
}

interface SyntaxContext {
  readonly text: string;
  readonly place: (offset: number) => Place;
  readonly report: Report;
}

function reportSyntax(faults: readonly YAMLError[], context: SyntaxContext): void {
  const separator = indentedSeparator(context.text);
  const lines = new Set<number>();
  for (const fault of faults) {
    const at = context.place(fault.pos[0]);
    // The parser finds several faults in what is one mistake.
    if (lines.has(at.line)) {
      continue;
    }
    lines.add(at.line);
    const { reason, remedy } = explain(fault, context.text);
    context.report.refuse(at, { path: '', code: codeOf(fault), reason, remedy });
  }
  if (separator !== undefined) {
    context.report.refuse(context.place(separator), {
      path: '',
      code: 'YAML_INDENTED_SEPARATOR',
      reason: 'This --- is indented, so it does not separate documents.',
      remedy: 'Move --- to column 1, and take the same indentation off the lines around it.',
    });
  }
}

/** Separators in a literal block are content; this is asked only when the text is broken anyway. */
function indentedSeparator(text: string): number | undefined {
  const found = /^[ \t]+(---[ \t]*)$/m.exec(text);
  return found === null ? undefined : found.index + found[0].indexOf('-');
}

const codeOf = (fault: YAMLError): string =>
  fault.code === 'TAB_AS_INDENT'
    ? 'YAML_TAB'
    : fault.code === 'TAG_RESOLVE_FAILED'
      ? 'YAML_TAG'
      : 'YAML_SYNTAX';

function explain(fault: YAMLError, text: string): { reason: string; remedy: string } {
  if (fault.code === 'TAB_AS_INDENT') {
    return {
      reason: 'A tab is used for indentation; YAML allows only blanks.',
      remedy: 'Replace the tab by blanks.',
    };
  }
  if (fault.code === 'TAG_RESOLVE_FAILED') {
    return {
      reason: 'Tags (!name) are not supported here.',
      remedy: 'Remove the tag; values are read as text.',
    };
  }
  const line = lineAt(text, fault.pos[0]);
  const templated = /\{\{|\{%|%\{|<%/.test(line);
  const remedy = templated
    ? TEMPLATING_REMEDY
    : 'Correct the line; quote values that begin with a special character.';
  return { reason: `Not YAML: ${fault.message.split('\n')[0] ?? fault.code}.`.replace(/\.\.$/, '.'), remedy };
}

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', Math.max(0, offset - 1)) + 1;
  const end = text.indexOf('\n', offset);
  return text.slice(start, end === -1 ? undefined : end);
}
