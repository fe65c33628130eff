import type { Command } from 'commander';
import type * as actions from '../commands/tenant-actions';
import type { SessionFlags } from '../commands/session';
import { group, leaf, option, required, type ProgramContext } from './declare-leaf';

type FlagsOf<K extends 'create' | 'createToken'> = Parameters<(typeof actions)[K]>[2];

export function declareTenantCommands(program: Command, { terminal }: ProgramContext): void {
  const load = (): typeof actions => require('../commands/tenant-actions') as typeof actions;
  const tenant = group(program, 'tenant', 'Tenants, for operators of the installation');
  leaf(tenant, {
    usage: 'list',
    about: 'List the tenants that the token may see',
    examples: ['quorate tenant list'],
    run: (_, flags: SessionFlags) => load().list(terminal, flags),
  }).alias('ls');
  leaf(tenant, {
    usage: 'create <name>',
    about: 'Create a tenant',
    examples: ['quorate tenant create acme --display-name "Acme Inc." --tenant platform'],
    options: [option('--display-name <text>', 'how people call it')],
    run: ([name = ''], flags: FlagsOf<'create'>) => load().create(terminal, name, flags),
  });
  const token = group(program, 'token', 'API tokens of the tenant');
  leaf(token, {
    usage: 'list',
    about: 'List the tokens, never their secrets',
    examples: ['quorate token list'],
    run: (_, flags: SessionFlags) => load().listTokens(terminal, flags),
  }).alias('ls');
  leaf(token, {
    usage: 'create <name>',
    about: 'Create a token and print it this one time',
    examples: ['quorate token create ci --role operator --ttl 90d > token.txt'],
    options: [
      required('--role <role>', 'viewer, operator or admin'),
      option('--ttl <duration>', 'how long it is valid; for ever when left out'),
    ],
    run: async ([name = ''], flags: FlagsOf<'createToken'>) => load().createToken(terminal, name, flags),
  });
  leaf(token, {
    usage: 'revoke <name>',
    about: 'Revoke a token at once',
    examples: ['quorate token revoke ci'],
    run: ([name = ''], flags: SessionFlags) => load().revokeToken(terminal, name, flags),
  });
}
