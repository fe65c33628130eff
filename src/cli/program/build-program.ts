/** The command tree. */
import { Command } from 'commander';
import { declareClusterCommands } from './cluster-commands';
import { declareContextCommands } from './context-commands';
import { examplesText, type ProgramContext } from './declare-leaf';
import { declareMachineCommands } from './machine-commands';
import { declareOperationCommands } from './operation-commands';
import { declareTemplateCommands } from './template-commands';
import { declareTenantCommands } from './tenant-commands';

const EXAMPLES = [
  'quorate template sync -f templates/managed-xs.yaml --wait',
  'quorate cluster kubeconfig demo-xs --file kubeconfig',
  'quorate cluster explain demo-xs',
];

const EXIT_CODES = `
Exit codes:
  0 ok                    5 conflict or precondition   9 server unreachable
  1 failed or refused     6 quota or rate limit        130 interrupted
  2 wrong usage           7 wait timed out
  3 not logged in         8 the operation failed
  4 not found

Environment:
  QUORATE_ENDPOINT, QUORATE_TOKEN, QUORATE_TENANT, QUORATE_CONTEXT, NO_COLOR
  QUORATE_DATA_DIR  of npm start, when it is not ./.data: used when nothing else
                    names a server
`;

/** What a parent sets is inherited by its children only when it is set before they are declared. */
function configure(program: Command, { terminal, version }: ProgramContext): void {
  program
    .name('quorate')
    .description('Managed Talos control planes: templates in, quorate Kubernetes control planes out.')
    .version(version, '-V, --version', 'print the version of the client')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp({ helpWidth: Math.min(terminal.columns, 100), showGlobalOptions: false })
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: () => undefined, // told in our own form by runCli
    })
    .addHelpText('before', examplesText(EXAMPLES))
    .addHelpText('after', EXIT_CODES);
}

export function buildProgram(context: ProgramContext): Command {
  const program = new Command();
  configure(program, context);
  declareTemplateCommands(program, context);
  declareClusterCommands(program, context);
  declareOperationCommands(program, context);
  declareMachineCommands(program, context);
  declareTenantCommands(program, context);
  declareContextCommands(program, context);
  return program;
}
