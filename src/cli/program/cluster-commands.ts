import type { Command } from 'commander';
import type * as actions from '../commands/cluster-actions';
import type { SessionFlags } from '../commands/session';
import { group, leaf, option, type ProgramContext } from './declare-leaf';
import { CONFIRM, WAIT } from './template-commands';

type FlagsOf<K extends 'remove' | 'kubeconfig'> = Parameters<(typeof actions)[K]>[2];

export function declareClusterCommands(program: Command, { terminal }: ProgramContext): void {
  const load = (): typeof actions => require('../commands/cluster-actions') as typeof actions;
  const cluster = group(program, 'cluster', 'Clusters: list, look into, delete, get a kubeconfig');
  leaf(cluster, {
    usage: 'list',
    about: 'List the clusters',
    examples: ['quorate cluster list', 'quorate cluster list -o json'],
    run: (_, flags: SessionFlags) => load().list(terminal, flags),
  }).alias('ls');
  leaf(cluster, {
    usage: 'get <name>',
    about: 'Show one cluster',
    examples: ['quorate cluster get shop -o yaml'],
    run: ([name = ''], flags: SessionFlags) => load().get(terminal, name, flags),
  });
  leaf(cluster, {
    usage: 'status <name>',
    about: 'Show conditions, machines and the latest operation; problems first',
    examples: ['quorate cluster status shop'],
    run: ([name = ''], flags: SessionFlags) => load().status(terminal, name, flags),
  });
  leaf(cluster, {
    usage: 'explain <name>',
    about: 'Say what happens next, what is waited for, and what was refused and why',
    examples: ['quorate cluster explain shop'],
    run: ([name = ''], flags: SessionFlags) => load().explain(terminal, name, flags),
  });
  leaf(cluster, {
    usage: 'machines <name>',
    about: 'List the machines of a cluster',
    examples: ['quorate cluster machines shop'],
    run: ([name = ''], flags: SessionFlags) => load().machines(terminal, name, flags),
  });
  leaf(cluster, {
    usage: 'delete <name>',
    about: 'Delete a cluster with all its machines',
    examples: ['quorate cluster delete shop', 'quorate cluster delete shop --confirm shop --wait'],
    options: [...CONFIRM(), ...WAIT()],
    run: ([name = ''], flags: FlagsOf<'remove'>) => load().remove(terminal, name, flags),
  });
  leaf(cluster, {
    usage: 'kubeconfig <name>',
    about: 'Issue a short-lived kubeconfig',
    examples: [
      'quorate cluster kubeconfig shop --file shop.kubeconfig',
      'quorate cluster kubeconfig shop --ttl 8h > shop.kubeconfig',
    ],
    options: [
      option('--file <path>', 'write it there, readable by nobody else, instead of printing it'),
      option('--ttl <duration>', 'how long it is valid, at most 24h', '1h'),
    ],
    run: async ([name = ''], flags: FlagsOf<'kubeconfig'>) => load().kubeconfig(terminal, name, flags),
  });
}
