/** The steps of an operation as a ladder: on a screen drawn again and again, in a log one line per change. */
import { createColors } from 'picocolors';
import type { Operation, OperationStep } from '../api/api-types';
import { duration } from '../output/relative-age';
import { wantsColor, type Terminal } from '../terminal/terminal';

type Colors = ReturnType<typeof createColors>;

/** The server may come to know more states; those show as not begun. */
const MARKS: Readonly<Record<string, (colors: Colors) => string>> = {
  done: (c) => c.green('✓'),
  failed: (c) => c.red('✗'),
  running: (c) => c.cyan('●'),
};
const isBegun = ({ state }: OperationStep): boolean => MARKS[state] !== undefined;

function took(step: Pick<OperationStep, 'startedAt' | 'finishedAt'>, now: number): string {
  const start = Date.parse(step.startedAt ?? '');
  const end = step.finishedAt === null ? now : Date.parse(step.finishedAt);
  return Number.isNaN(start) || Number.isNaN(end) ? '' : duration(end - start);
}

/** Text of the server may hold anything; on a terminal it must stay text. */
const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');

export function headline(operation: Operation): string {
  const { kind, cluster, id, state, steps, message } = operation;
  // Over without a step: what it found instead of work, such as "no change".
  const found = state === 'Succeeded' && steps.length === 0 && message !== '' ? `, ${plain(message)}` : '';
  return `${kind} ${cluster ?? ''}: ${state}${found} (operation ${id})`.replace('  ', ' ');
}

export class OperationLadder {
  private readonly colors: Colors;
  private drawnLines = 0;
  private readonly told = new Map<string, string>();

  constructor(private readonly terminal: Terminal) {
    this.colors = createColors(wantsColor(terminal, terminal.stderrIsTty));
  }

  show(operation: Operation): void {
    if (this.terminal.stderrIsTty) {
      this.draw(operation);
    } else {
      this.tell(operation);
    }
  }

  /** A line that is not part of the ladder, such as a lost connection; the next `show` draws below it. */
  note(text: string): void {
    if (this.told.get('note') !== text) {
      this.told.set('note', text);
      this.drawnLines = 0;
      this.terminal.err(`${text}\n`);
    }
  }

  forgetNote(): void {
    this.told.delete('note');
  }

  private draw(operation: Operation): void {
    const now = this.terminal.now();
    const names = operation.steps.map((step) => step.name.length);
    const width = Math.max(0, ...names);
    const lines = [
      this.colors.bold(this.cut(headline(operation))),
      ...operation.steps.map((step) => this.rung(step, width, now)),
      ...(operation.message === '' ? [] : [this.colors.dim(this.cut(`  ${plain(operation.message)}`))]),
    ];
    // Up over what was drawn last time, and clear from there.
    const back = this.drawnLines === 0 ? '' : `\u001b[${this.drawnLines}A\u001b[J`;
    this.terminal.err(`${back}${lines.join('\n')}\n`);
    this.drawnLines = lines.length;
  }

  private rung(step: OperationStep, width: number, now: number): string {
    const mark = MARKS[step.state]?.(this.colors) ?? this.colors.dim('○');
    const text = this.cut(
      `${plain(step.name).padEnd(width)}  ${took(step, now).padStart(4)}  ${plain(step.message)}`,
      4,
    );
    return `  ${mark} ${isBegun(step) ? text : this.colors.dim(text)}`;
  }

  private tell(operation: Operation): void {
    const now = this.terminal.now();
    const news = (key: string, text: string): void => {
      if (this.told.get(key) !== text) {
        this.told.set(key, text);
        this.terminal.err(`${text}\n`);
      }
    };
    const over = operation.finishedAt !== null;
    if (!over) {
      news('operation', headline(operation));
    }
    for (const step of operation.steps.filter(isBegun)) {
      const time = step.finishedAt === null ? '' : ` ${took(step, now)}`;
      const message = step.message === '' ? '' : `: ${plain(step.message)}`;
      news(`step ${step.name}`, `  ${plain(step.name)} ${step.state}${time}${message}`);
    }
    if (over) {
      news('operation', headline(operation));
    }
  }

  private cut(text: string, indent = 0): string {
    const room = this.terminal.columns - indent;
    return text.length > room ? `${text.slice(0, Math.max(1, room - 1))}…` : text.trimEnd();
  }
}
