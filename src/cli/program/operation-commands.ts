import type { Command, Option } from 'commander';
import type * as actions from '../commands/operation-actions';
import type { SessionFlags } from '../commands/session';
import { group, leaf, option, type ProgramContext } from './declare-leaf';

type ListFlags = Parameters<typeof actions.list>[1];
type WatchFlags = Parameters<typeof actions.watch>[2];

const LIST = (): Option[] => [
  option('--cluster <name>', 'only of this cluster'),
  option('--limit <rows>', 'at most so many, newest first', '50'),
];

export function declareOperationCommands(program: Command, { terminal }: ProgramContext): void {
  const load = (): typeof actions => require('../commands/operation-actions') as typeof actions;
  const operation = group(program, 'operation', 'Long-running operations: list, get, watch');
  leaf(operation, {
    usage: 'list',
    about: 'List the operations, newest first',
    examples: ['quorate operation list --cluster shop'],
    options: LIST(),
    run: (_, flags: ListFlags) => load().list(terminal, flags),
  }).alias('ls');
  leaf(operation, {
    usage: 'get <id>',
    about: 'Show one operation with its steps',
    examples: ['quorate operation get 01930b6e-7c00-7000-8000-000000000000'],
    run: ([id = ''], flags: SessionFlags) => load().get(terminal, id, flags),
  });
  leaf(operation, {
    usage: 'watch <id>',
    about: 'Follow an operation to its end; Ctrl-C stops only the watching',
    examples: ['quorate operation watch 01930b6e-7c00-7000-8000-000000000000'],
    options: [option('--timeout <duration>', 'how long to wait', '15m')],
    run: ([id = ''], flags: WatchFlags) => load().watch(terminal, id, flags),
  });
  leaf(program, {
    usage: 'events',
    about: 'List what happened, newest first',
    examples: ['quorate events --cluster shop'],
    options: LIST(),
    run: (_, flags: ListFlags) => load().events(terminal, flags),
  });
  leaf(program, {
    usage: 'options',
    about: 'Show the sizes, versions and providers that this installation offers',
    examples: ['quorate options'],
    run: (_, flags: SessionFlags) => load().options(terminal, flags),
  });
}
