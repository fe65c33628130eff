import type { Command, Option } from 'commander';
import type * as actions from '../commands/template-actions';
import { group, leaf, option, required, type ProgramContext } from './declare-leaf';

type FlagsOf<K extends keyof typeof actions> = Parameters<(typeof actions)[K]>[1];

const FILE = (): Option => required('-f, --file <path>', 'the template; - reads standard input');
export const WAIT = (): Option[] => [
  option('--wait', 'follow the operation to its end'),
  option('--timeout <duration>', 'how long to wait', '15m'),
];
export const CONFIRM = (): Option[] => [
  option('--confirm <name>', 'the name of the cluster, instead of the question'),
  option('--yes', 'do not ask'),
];

export function declareTemplateCommands(program: Command, { terminal }: ProgramContext): void {
  const load = (): typeof actions => require('../commands/template-actions') as typeof actions;
  const template = group(program, 'template', 'Clusters from template files: validate, sync, status, delete');
  leaf(template, {
    usage: 'validate',
    about: 'Check a template as a sync would, and change nothing',
    examples: ['quorate template validate -f templates/managed-xs.yaml'],
    options: [FILE()],
    run: (_, flags: FlagsOf<'validate'>) => load().validate(terminal, flags),
  });
  leaf(template, {
    usage: 'sync',
    about: 'Make the cluster what the template says',
    examples: [
      'quorate template sync -f templates/managed-xs.yaml --wait',
      'quorate template sync -f cluster.yaml --dry-run',
    ],
    options: [FILE(), option('--dry-run', 'show what would change, and change nothing'), ...WAIT()],
    run: (_, flags: FlagsOf<'sync'>) => load().sync(terminal, flags),
  });
  leaf(template, {
    usage: 'status',
    about: 'Say whether the cluster is what the template says, and how it is',
    examples: ['quorate template status -f cluster.yaml', 'quorate template status -f cluster.yaml --wait'],
    options: [FILE(), ...WAIT()],
    run: (_, flags: FlagsOf<'status'>) => load().status(terminal, flags),
  });
  leaf(template, {
    usage: 'delete',
    about: 'Delete the cluster that the template describes',
    examples: ['quorate template delete -f cluster.yaml --confirm shop --wait'],
    options: [FILE(), ...CONFIRM(), ...WAIT()],
    run: (_, flags: FlagsOf<'remove'>) => load().remove(terminal, flags),
  });
}
