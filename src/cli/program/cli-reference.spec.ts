/** docs/reference/cli.md is what `--help` says. To write it anew: QUORATE_WRITE_REFERENCE=1 npx jest cli-reference */
import type { Command } from 'commander';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeTerminal } from '../terminal/terminal.fake';
import { buildProgram } from './build-program';

const FILE = path.resolve(__dirname, '../../../docs/reference/cli.md');

const terminal = new FakeTerminal();
afterAll(() => terminal.remove());

function leaves(command: Command, names: readonly string[] = []): string[][] {
  const children = command.commands.filter((child) => child.name() !== 'help');
  return children.length === 0
    ? [[...names]]
    : children.flatMap((child) => leaves(child, [...names, child.name()]));
}

async function helpOf(names: readonly string[]): Promise<string> {
  terminal.stdout = '';
  await terminal.run(...names, '--help');
  return `\`\`\`text\n${terminal.stdout.trimEnd()}\n\`\`\`\n`;
}

async function reference(): Promise<string> {
  const sections = [
    '# The command line',
    '<!-- Written by src/cli/program/cli-reference.spec.ts from the help texts: do not edit. -->',
    'How to call it, and which server it talks to, is in [the guide](../how-to/command-line.md).',
    (await helpOf([])).trimEnd(),
  ];
  for (const names of leaves(buildProgram({ terminal, version: '1.2.3' }))) {
    sections.push(`## quorate ${names.join(' ')}`, (await helpOf(names)).trimEnd());
  }
  return `${sections.join('\n\n')}\n`;
}

test('docs/reference/cli.md says what --help says', async () => {
  const text = await reference();
  if (process.env['QUORATE_WRITE_REFERENCE'] !== undefined) {
    writeFileSync(FILE, text);
  }
  expect(readFileSync(FILE, 'utf8')).toBe(text);
});
