/**
 * One command: its words, its flags, an example. Its code is loaded by `require` when it is called, so that no command
 * pays for the others (TypeScript would want a file suffix in `import()`).
 */
import { Command, Option } from 'commander';
import type { Terminal } from '../terminal/terminal';

export interface ProgramContext {
  readonly terminal: Terminal;
  readonly version: string;
}

type Flags = Record<string, unknown>;

export interface LeafSpec {
  /** `get <name>` */
  readonly usage: string;
  readonly about: string;
  readonly examples: readonly string[];
  readonly options?: readonly Option[];
  /** What a command without a server needs not. */
  readonly local?: 'no-server' | 'no-output';
  readonly run: (args: readonly string[], flags: never) => Promise<void>;
}

export const option = (flags: string, about: string, value?: string): Option => {
  const made = new Option(flags, about);
  return value === undefined ? made : made.default(value);
};

export const required = (flags: string, about: string): Option =>
  new Option(flags, about).makeOptionMandatory();

const OUTPUT = (): Option => option('-o, --output <format>', 'table, json, yaml or name', 'table');
const SERVER = (): Option[] => [
  option('--endpoint <url>', 'the server (QUORATE_ENDPOINT)').helpGroup('Which server:'),
  option('--tenant <name>', 'the tenant (QUORATE_TENANT)').helpGroup('Which server:'),
  option('--context <name>', 'a context of the configuration (QUORATE_CONTEXT)').helpGroup('Which server:'),
];

export const examplesText = (examples: readonly string[]): string =>
  `Examples:\n${examples.map((line) => `  ${line}\n`).join('')}`;

export function leaf(parent: Command, spec: LeafSpec): Command {
  const command = parent.command(spec.usage).description(spec.about);
  spec.options?.forEach((one) => command.addOption(one));
  if (spec.local !== 'no-output') {
    command.addOption(OUTPUT());
  }
  if (spec.local === undefined) {
    SERVER().forEach((one) => command.addOption(one));
  }
  command.addHelpText('before', examplesText(spec.examples));
  return command.action((...all: unknown[]) => {
    // commander appends the flags and the command itself.
    const args = all.slice(0, -2).map(String);
    return spec.run(args, command.opts<Flags>() as never);
  });
}

export function group(parent: Command, name: string, about: string): Command {
  return parent.command(name).description(about);
}
