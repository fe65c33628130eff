import type { Command } from 'commander';
import type * as actions from '../commands/machine-actions';
import type { SessionFlags } from '../commands/session';
import { group, leaf, option, required, type ProgramContext } from './declare-leaf';

type FlagsOf<K extends 'createProvider' | 'createJoinToken'> = Parameters<(typeof actions)[K]>[2];

const load = (): typeof actions => require('../commands/machine-actions') as typeof actions;

function declareMachines(program: Command, { terminal }: ProgramContext): void {
  leaf(group(program, 'machine', "Machines of the tenant's own providers"), {
    usage: 'list',
    about: 'List the machines',
    examples: ['quorate machine list'],
    run: (_, flags: SessionFlags) => load().listMachines(terminal, flags),
  }).alias('ls');
  const machineClass = group(program, 'machine-class', 'Shapes of machines that templates name');
  leaf(machineClass, {
    usage: 'list',
    about: 'List the machine classes',
    examples: ['quorate machine-class list'],
    run: (_, flags: SessionFlags) => load().listClasses(terminal, flags),
  }).alias('ls');
  leaf(machineClass, {
    usage: 'create <name>',
    about: 'Create a machine class',
    examples: [
      'quorate machine-class create large --provider rack-1 --cpus 8 --memory-gib 32 --disk-gib 200',
    ],
    options: [
      required('--provider <name>', 'the provider that makes such machines'),
      option('--cpus <count>', 'processors', '2'),
      option('--memory-gib <count>', 'memory in GiB', '4'),
      option('--disk-gib <count>', 'disk in GiB', '20'),
    ],
    run: ([name = ''], flags: actions.ClassFlags) => load().createClass(terminal, name, flags),
  });
  leaf(machineClass, {
    usage: 'delete <name>',
    about: 'Delete a machine class that no cluster uses',
    examples: ['quorate machine-class delete large'],
    run: ([name = ''], flags: SessionFlags) => load().deleteClass(terminal, name, flags),
  });
}

function declareProviders(program: Command, { terminal }: ProgramContext): void {
  const provider = group(program, 'provider', 'Where machines come from');
  leaf(provider, {
    usage: 'list',
    about: 'List the providers',
    examples: ['quorate provider list'],
    run: (_, flags: SessionFlags) => load().listProviders(terminal, flags),
  }).alias('ls');
  leaf(provider, {
    usage: 'create <name>',
    about: 'Create a provider; its agents join with a token',
    examples: ['quorate provider create rack-1'],
    options: [option('--alias <name>', 'operators only: the name under which tenants order from it')],
    run: async ([name = ''], flags: FlagsOf<'createProvider'>) =>
      load().createProvider(terminal, name, flags),
  });
  leaf(provider, {
    usage: 'token <name>',
    about: 'Create a token by which agents join; it is shown once',
    examples: ['quorate provider token rack-1 --ttl 1h > join-token'],
    options: [option('--ttl <duration>', 'how long agents can join with it', '1d')],
    run: async ([name = ''], flags: FlagsOf<'createJoinToken'>) =>
      load().createJoinToken(terminal, name, flags),
  });
}

export function declareMachineCommands(program: Command, context: ProgramContext): void {
  declareMachines(program, context);
  declareProviders(program, context);
}
