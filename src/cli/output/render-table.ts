/** Columns for people. A row stays on one line: what does not fit on the screen is cut. */

export interface Column<T> {
  readonly title: string;
  readonly cell: (item: T) => string | number | null | undefined;
}

const GAP = '   ';

const shown = (value: string | number | null | undefined): string => {
  // Control characters of foreign texts must not reach the terminal.
  const text = String(value ?? '')
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim();
  return text === '' ? '-' : text;
};

export function renderTable<T>(items: readonly T[], columns: readonly Column<T>[], width?: number): string {
  const rows = [columns.map((c) => c.title), ...items.map((item) => columns.map((c) => shown(c.cell(item))))];
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string => {
    const text = row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join(GAP)
      .trimEnd();
    return width !== undefined && text.length > width ? `${text.slice(0, Math.max(1, width - 1))}…` : text;
  };
  return rows.map((row) => `${line(row)}\n`).join('');
}
