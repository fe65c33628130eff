import { Argument, type Command } from 'commander';
import type * as actions from '../commands/context-actions';
import type * as completion from '../completion/completion-script';
import type { SessionFlags } from '../commands/session';
import { group, leaf, option, type ProgramContext } from './declare-leaf';

type LoginFlags = Parameters<typeof actions.login>[2];
type VersionFlags = Parameters<typeof actions.version>[2];

const load = (): typeof actions => require('../commands/context-actions') as typeof actions;

function declareContexts(program: Command, { terminal }: ProgramContext): void {
  const context = group(program, 'context', 'Servers that you are logged in to').alias('config');
  leaf(context, {
    usage: 'get-contexts',
    about: 'List the contexts',
    examples: ['quorate context get-contexts'],
    local: 'no-server',
    run: (_, flags: SessionFlags) => load().getContexts(terminal, flags),
  }).alias('list');
  leaf(context, {
    usage: 'use-context <name>',
    about: 'Choose the context that commands use',
    examples: ['quorate context use-context production'],
    local: 'no-output',
    run: ([name = '']) => load().useContext(terminal, name),
  }).alias('use');
  leaf(context, {
    usage: 'delete-context <name>',
    about: 'Forget a context and its token',
    examples: ['quorate context delete-context old'],
    local: 'no-output',
    run: ([name = '']) => load().deleteContext(terminal, name),
  }).alias('delete');
}

export function declareContextCommands(program: Command, context: ProgramContext): void {
  const { terminal, version } = context;
  leaf(program, {
    usage: 'login <url>',
    about: 'Keep a server and a token as a context',
    examples: ['quorate login https://quorate.example.com --token-stdin < token.txt'],
    local: 'no-output',
    options: [
      option('--token-stdin', 'read the token from standard input instead of asking'),
      option('--tenant <name>', 'the tenant; found by the token when left out'),
      option('--context <name>', 'how to call the context; the name of the tenant when left out'),
    ],
    run: ([url = ''], flags: LoginFlags) => load().login(terminal, url, flags),
  });
  declareContexts(program, context);
  leaf(program, {
    usage: 'whoami',
    about: 'Show the server and tenant in use, and check the token',
    examples: ['quorate whoami'],
    run: (_, flags: SessionFlags) => load().whoami(terminal, flags),
  });
  leaf(program, {
    usage: 'version',
    about: 'Show the version of the client and of the server',
    examples: ['quorate version', 'quorate version --client'],
    options: [option('--client', 'only of the client')],
    run: (_, flags: VersionFlags) => load().version(terminal, version, flags),
  });
  leaf(program, {
    usage: 'completion',
    about: 'Print a completion script for your shell',
    examples: [
      'source <(quorate completion bash)',
      'quorate completion zsh > ~/.zfunc/_quorate',
      'quorate completion fish > ~/.config/fish/completions/quorate.fish',
    ],
    local: 'no-output',
    run: ([shell = '']) => {
      const { completionScript } = require('../completion/completion-script') as typeof completion;
      terminal.out(completionScript(program, shell));
      return Promise.resolve();
    },
  }).addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']));
}
