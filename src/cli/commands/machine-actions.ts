import type { Machine, MachineClass, Provider } from '../api/api-types';
import { usageError } from '../cli-error';
import { printList, printOne } from '../output/print-result';
import { machineClassShape, machineShape, providerShape } from '../output/shapes';
import type { Terminal } from '../terminal/terminal';
import { openSession, secondsFlag, type SessionFlags } from './session';

const GIB = 1024 ** 3;

export async function listMachines(terminal: Terminal, flags: SessionFlags): Promise<void> {
  const { api, format, now } = await openSession(terminal, flags);
  await printList(terminal, format, await api.list<Machine>(api.inTenant('machines')), machineShape(now));
}

export async function listClasses(terminal: Terminal, flags: SessionFlags): Promise<void> {
  const { api, format, now } = await openSession(terminal, flags);
  const found = await api.list<MachineClass>(api.inTenant('machine-classes'));
  await printList(terminal, format, found, machineClassShape(now));
}

function numberFlag(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw usageError(`${flag} ${text} is not a whole number above zero`);
  }
  return value;
}

export interface ClassFlags extends SessionFlags {
  readonly provider: string;
  readonly cpus: string;
  readonly memoryGib: string;
  readonly diskGib: string;
}

export async function createClass(terminal: Terminal, name: string, flags: ClassFlags): Promise<void> {
  const body = {
    name,
    provider: flags.provider,
    cpus: numberFlag('--cpus', flags.cpus),
    memoryBytes: numberFlag('--memory-gib', flags.memoryGib) * GIB,
    diskBytes: numberFlag('--disk-gib', flags.diskGib) * GIB,
  };
  const { api, format, now } = await openSession(terminal, flags);
  const created = await api.post<MachineClass>(api.inTenant('machine-classes'), body);
  await printOne(terminal, format, created, machineClassShape(now));
}

export async function deleteClass(terminal: Terminal, name: string, flags: SessionFlags): Promise<void> {
  const { api } = await openSession(terminal, flags);
  await api.delete(api.inTenant(`machine-classes/${encodeURIComponent(name)}`));
  terminal.err(`Deleted the machine class ${name}\n`);
}

export async function listProviders(terminal: Terminal, flags: SessionFlags): Promise<void> {
  const { api, format, now } = await openSession(terminal, flags);
  await printList(terminal, format, await api.list<Provider>(api.inTenant('providers')), providerShape(now));
}

export async function createProvider(
  terminal: Terminal,
  name: string,
  flags: SessionFlags & { readonly alias?: string },
): Promise<void> {
  const { api, format, now } = await openSession(terminal, flags);
  const body = { name, ...(flags.alias === undefined ? {} : { alias: flags.alias }) };
  const created = await api.post<Provider>(api.inTenant('providers'), body);
  await printOne(terminal, format, created, providerShape(now));
  terminal.err(`Next: quorate provider token ${name}\n`);
}

export async function createJoinToken(
  terminal: Terminal,
  name: string,
  flags: SessionFlags & { readonly ttl: string },
): Promise<void> {
  const ttlSeconds = secondsFlag('--ttl', flags.ttl);
  const { api, format } = await openSession(terminal, flags);
  const path = api.inTenant(`providers/${encodeURIComponent(name)}/join-tokens`);
  const created = await api.post<{ token: string; expiresAt: string }>(path, { ttlSeconds });
  const shape = { noun: 'provider', name: () => name, columns: [] };
  await printOne(terminal, format, created, shape, ({ token }) => `${token}\n`);
  terminal.err(`Agents of ${name} join with it until ${created.expiresAt}. It is not shown again.\n`);
}
