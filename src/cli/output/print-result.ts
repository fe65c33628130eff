/** `-o`: the same data as a table, JSON, YAML or bare names. */
import { usageError } from '../cli-error';
import type { Terminal } from '../terminal/terminal';
import { renderTable, type Column } from './render-table';

export const FORMATS = ['table', 'json', 'yaml', 'name'] as const;
export type Format = (typeof FORMATS)[number];

export function formatOf(text: string | undefined): Format {
  const format = FORMATS.find((known) => known === (text ?? 'table'));
  if (format === undefined) {
    throw usageError(`"${text ?? ''}" is no output format`, `use -o ${FORMATS.join('|')}`);
  }
  return format;
}

export interface Shape<T> {
  /** `cluster` -> `cluster/NAME` with `-o name`. */
  readonly noun: string;
  readonly name: (item: T) => string;
  readonly columns: readonly Column<T>[];
}

async function printData(terminal: Terminal, format: 'json' | 'yaml', data: unknown): Promise<void> {
  if (format === 'json') {
    terminal.out(`${JSON.stringify(data, null, 2)}\n`);
    return;
  }
  const { stringify } = await import('yaml');
  terminal.out(stringify(data));
}

function printTable<T>(terminal: Terminal, items: readonly T[], shape: Shape<T>): void {
  terminal.out(renderTable(items, shape.columns, terminal.stdoutIsTty ? terminal.columns : undefined));
}

export async function printList<T>(
  terminal: Terminal,
  format: Format,
  items: readonly T[],
  shape: Shape<T> & { readonly none: string },
): Promise<void> {
  switch (format) {
    case 'table':
      if (items.length === 0) {
        terminal.err(`${shape.none}\n`); // nothing is no data: the hint goes to people
      } else {
        printTable(terminal, items, shape);
      }
      break;
    case 'name':
      items.forEach((item) => terminal.out(`${shape.noun}/${shape.name(item)}\n`));
      break;
    case 'json':
    case 'yaml':
      return printData(terminal, format, { items });
  }
}

export async function printOne<T>(
  terminal: Terminal,
  format: Format,
  item: T,
  shape: Shape<T>,
  asText?: (item: T) => string,
): Promise<void> {
  switch (format) {
    case 'table':
      if (asText === undefined) {
        printTable(terminal, [item], shape);
      } else {
        terminal.out(asText(item));
      }
      break;
    case 'name':
      terminal.out(`${shape.noun}/${shape.name(item)}\n`);
      break;
    case 'json':
    case 'yaml':
      return printData(terminal, format, item);
  }
}
