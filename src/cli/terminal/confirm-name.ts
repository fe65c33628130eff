/** The danger ladder: what destroys a cluster asks for its name, or wants it on the command line. */
import { CliError, usageError } from '../cli-error';
import { EXIT } from '../exit-codes';
import type { Terminal } from './terminal';

export interface Confirmation {
  readonly confirm?: string;
  readonly yes?: boolean;
}

export async function confirmName(terminal: Terminal, name: string, given: Confirmation): Promise<void> {
  if (given.confirm !== undefined) {
    if (given.confirm !== name) {
      throw usageError(`--confirm ${given.confirm} does not name the cluster ${name}`, `--confirm ${name}`);
    }
    return;
  }
  if (given.yes === true) {
    return;
  }
  if (!terminal.stdinIsTty || !terminal.stderrIsTty) {
    throw usageError(`deleting ${name} needs a confirmation`, `repeat the command with --confirm ${name}`);
  }
  terminal.err(`This deletes the cluster ${name} with all its machines and data. It cannot be undone.\n`);
  const typed = await terminal.ask('Type the name of the cluster to go on: ');
  if (typed !== name) {
    throw new CliError('nothing was deleted: the name does not match', { exitCode: EXIT.failed });
  }
}
