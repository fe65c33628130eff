/** One run of the command line: answers the exit code and never throws. */
import { CommanderError, type Command } from 'commander';
import { CliError } from './cli-error';
import { EXIT, type ExitCode } from './exit-codes';
import { buildProgram } from './program/build-program';
import type { ProgramContext } from './program/declare-leaf';

function tell({ terminal }: ProgramContext, error: CliError): ExitCode {
  terminal.err(`${error.lines().join('\n')}\n`);
  return error.exitCode;
}

/** As deep as the words name known commands. */
function commandOf(command: Command, [word, ...rest]: readonly string[]): Command {
  const child = command.commands.find((one) => one.name() === word || one.aliases().includes(word ?? ''));
  return child === undefined ? command : commandOf(child, rest);
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Help was asked for, or the words make no command: `error: unknown command 'clutser'\n(Did you mean cluster?)`. */
function tellUsage(context: ProgramContext, error: CommanderError, command: Command): ExitCode {
  if (error.exitCode === 0) {
    return EXIT.ok;
  }
  if (error.code === 'commander.help') {
    return EXIT.usage; // a group without a command: its help is already on stderr
  }
  const [what = '', ...why] = error.message.replace(/^error: /, '').split('\n');
  return tell(context, new CliError(what, { exitCode: EXIT.usage, why, next: `${pathOf(command)} --help` }));
}

export async function runCli(args: readonly string[], context: ProgramContext): Promise<ExitCode> {
  const program = buildProgram(context);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) {
      return tellUsage(context, error, commandOf(program, args));
    }
    if (error instanceof CliError) {
      return tell(context, error);
    }
    const why =
      context.terminal.env['QUORATE_DEBUG'] === undefined
        ? [String(error)]
        : String((error as Error).stack).split('\n');
    return tell(
      context,
      new CliError('something went wrong in the command itself', {
        why,
        next: 'repeat with QUORATE_DEBUG=1 and report it',
      }),
    );
  }
}
