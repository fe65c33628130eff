import type { Command } from 'commander';
import { execFileSync } from 'node:child_process';
import { completionScript } from '../completion/completion-script';
import { FakeTerminal } from '../terminal/terminal.fake';
import { buildProgram } from './build-program';

const terminal = new FakeTerminal();
const program = buildProgram({ terminal, version: '1.2.3' });
afterAll(() => terminal.remove());

function paths(command: Command, path: readonly string[] = []): string[][] {
  const children = command.commands.filter((child) => child.name() !== 'help');
  return [[...path], ...children.flatMap((child) => paths(child, [...path, child.name()]))];
}

test.each(paths(program).map((path) => [path.join(' '), path] as const))(
  'help of: quorate %s',
  async (_, path) => {
    expect(await terminal.run(...path, '--help')).toBe(0);
    expect(terminal.stderr).toBe('');
    expect(terminal.stdout).toMatchSnapshot();
  },
);

test('every command that does something has an example', async () => {
  for (const path of paths(program).filter((p) => p.length === 0 || !isGroup(p))) {
    await terminal.run(...path, '--help');
    expect([path, terminal.stdout.startsWith('Examples:\n  ')]).toEqual([path, true]);
  }
});

function isGroup(path: readonly string[]): boolean {
  const found = path.reduce<Command | undefined>(
    (at, name) => at?.commands.find((c) => c.name() === name),
    program,
  );
  return (found?.commands.length ?? 0) > 0;
}

test('--version prints the version', async () => {
  expect([await terminal.run('--version'), terminal.stdout]).toEqual([0, '1.2.3\n']);
});

describe('completion', () => {
  /** What bash offers after these words. */
  function offered(...words: string[]): string[] {
    const script = `${completionScript(program, 'bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _quorate; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '');
  }

  test.each([
    [['quorate', 'clu'], ['cluster']],
    [['quorate', 'cluster', 'ku'], ['kubeconfig']],
    [
      ['quorate', 'cluster', 'delete', 'shop', '--con'],
      ['--confirm', '--context'],
    ],
    [['quorate', 'completion', 'z'], ['zsh']],
    [['quorate', 'cluster', 'list', '-o', 'j'], ['json']],
  ])('%p -> %p', (words, expected) => expect(offered(...words)).toEqual(expected));

  test('zsh and fish name every command', () => {
    expect(completionScript(program, 'zsh')).toMatch(/^#compdef quorate\n/);
    expect(completionScript(program, 'fish')).toContain(`-a kubeconfig -d 'Issue a short-lived kubeconfig'`);
  });
});
