import type { Tenant, Token } from '../api/api-types';
import { printList, printOne } from '../output/print-result';
import { tenantShape, tokenShape } from '../output/shapes';
import type { Terminal } from '../terminal/terminal';
import { openSession, secondsFlag, type SessionFlags } from './session';

export async function list(terminal: Terminal, flags: SessionFlags): Promise<void> {
  const { api, format, now } = await openSession(terminal, flags);
  await printList(terminal, format, await api.list<Tenant>('tenants'), tenantShape(now));
}

export async function create(
  terminal: Terminal,
  name: string,
  flags: SessionFlags & { readonly displayName?: string },
): Promise<void> {
  const { api, format, now } = await openSession(terminal, flags);
  const { displayName } = flags;
  const created = await api.post<Tenant>('tenants', {
    name,
    ...(displayName === undefined ? {} : { displayName }),
  });
  await printOne(terminal, format, created, tenantShape(now));
  terminal.err(`Next: quorate token create NAME --role admin --tenant ${name}\n`);
}

export async function listTokens(terminal: Terminal, flags: SessionFlags): Promise<void> {
  const { api, format, now } = await openSession(terminal, flags);
  await printList(terminal, format, await api.list<Token>(api.inTenant('tokens')), tokenShape(now));
}

export async function createToken(
  terminal: Terminal,
  name: string,
  flags: SessionFlags & { readonly role: string; readonly ttl?: string },
): Promise<void> {
  const ttlSeconds = flags.ttl === undefined ? undefined : secondsFlag('--ttl', flags.ttl);
  const { api, format, now } = await openSession(terminal, flags);
  const body = { name, role: flags.role, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) };
  const created = await api.post<Token & { token: string }>(api.inTenant('tokens'), body);
  await printOne(terminal, format, created, tokenShape(now), ({ token }) => `${token}\n`);
  terminal.err(`Token ${name} (${created.role}). It is not shown again.\n`);
}

export async function revokeToken(terminal: Terminal, name: string, flags: SessionFlags): Promise<void> {
  const { api } = await openSession(terminal, flags);
  await api.delete(api.inTenant(`tokens/${encodeURIComponent(name)}`));
  terminal.err(`Revoked the token ${name}\n`);
}
