import { ApiClient } from '../api/api-client';
import type { Tenant } from '../api/api-types';
import { CliError, usageError } from '../cli-error';
import { readConfigFile, writeConfigFile, type Context } from '../config/config-file';
import { endpointOf, resolveTarget } from '../config/resolve-target';
import { EXIT } from '../exit-codes';
import { formatOf, printList, printOne } from '../output/print-result';
import type { Terminal } from '../terminal/terminal';
import { openSession, type SessionFlags } from './session';

interface LoginFlags {
  readonly tokenStdin?: boolean;
  readonly tenant?: string;
  readonly context?: string;
}

async function readToken(terminal: Terminal, fromStdin: boolean): Promise<string> {
  if (!fromStdin && !terminal.stdinIsTty) {
    throw usageError('login needs a token', 'pipe it in: quorate login <url> --token-stdin < token.txt');
  }
  const token = (fromStdin ? await terminal.readStdin() : await terminal.ask('Token: ', true)).trim();
  if (token === '' || /\s/.test(token)) {
    throw usageError(token === '' ? 'the token is empty' : 'the token holds blanks or several lines');
  }
  return token;
}

/** A token of a tenant sees exactly one; an operator's sees several, and has to say which. */
async function checkedTenant(endpoint: string, token: string, wanted: string | undefined): Promise<string> {
  const api = new ApiClient({ endpoint, token, tenant: wanted ?? '', source: 'login' });
  if (wanted !== undefined) {
    return (await api.get<Tenant>(`tenants/${encodeURIComponent(wanted)}`)).name;
  }
  const tenants = await api.list<Tenant>('tenants', {}, 2);
  return tenants.length === 1 ? (tenants[0]?.name ?? '') : '';
}

export async function login(terminal: Terminal, url: string, flags: LoginFlags): Promise<void> {
  const endpoint = endpointOf(url);
  const token = await readToken(terminal, flags.tokenStdin === true);
  const tenant = await checkedTenant(endpoint, token, flags.tenant);
  const name = flags.context ?? (tenant === '' ? new URL(endpoint).hostname : tenant);
  const context: Context = { name, endpoint, tenant, token };
  const { contexts } = await readConfigFile(terminal);
  const others = contexts.filter((other) => other.name !== name);
  const file = await writeConfigFile(terminal, { currentContext: name, contexts: [...others, context] });
  const where = tenant === '' ? 'no tenant chosen: add --tenant NAME to commands' : `tenant ${tenant}`;
  terminal.err(
    `Logged in to ${endpoint} (${where}) as context ${name}, kept in ${file}\nNext: quorate cluster list\n`,
  );
}

export async function whoami(terminal: Terminal, flags: SessionFlags): Promise<void> {
  const { api, format } = await openSession(terminal, flags);
  const { endpoint, source } = api.target;
  const tenant =
    api.target.tenant === ''
      ? null
      : (await api.get<Tenant>(`tenants/${encodeURIComponent(api.target.tenant)}`)).name;
  if (tenant === null) {
    await api.list<Tenant>('tenants', {}, 1); // says whether the token is good
  }
  const me = { endpoint, tenant, source };
  const shape = { noun: 'tenant', name: () => tenant ?? '', columns: [] };
  const text = `endpoint  ${endpoint}\ntenant    ${tenant ?? 'none chosen'}\nfrom      ${source}\n`;
  await printOne(terminal, format, me, shape, () => text);
}

export async function getContexts(terminal: Terminal, flags: { readonly output?: string }): Promise<void> {
  const { contexts, currentContext } = await readConfigFile(terminal);
  const shown = contexts.map(({ name, endpoint, tenant }) => ({
    name,
    endpoint,
    tenant,
    current: name === currentContext,
  }));
  await printList(terminal, formatOf(flags.output), shown, {
    noun: 'context',
    name: (c) => c.name,
    none: 'No contexts. Make one: quorate login <url> --token-stdin',
    columns: [
      { title: 'CURRENT', cell: (c) => (c.current ? '*' : ' ') },
      { title: 'NAME', cell: (c) => c.name },
      { title: 'TENANT', cell: (c) => c.tenant },
      { title: 'ENDPOINT', cell: (c) => c.endpoint },
    ],
  });
}

export async function useContext(terminal: Terminal, name: string): Promise<void> {
  const config = await readConfigFile(terminal);
  if (!config.contexts.some((context) => context.name === name)) {
    throw new CliError(`there is no context "${name}"`, {
      exitCode: EXIT.notFound,
      next: 'quorate context get-contexts',
    });
  }
  await writeConfigFile(terminal, { ...config, currentContext: name });
  terminal.err(`Using context ${name}\n`);
}

export async function deleteContext(terminal: Terminal, name: string): Promise<void> {
  const { contexts, currentContext } = await readConfigFile(terminal);
  if (!contexts.some((context) => context.name === name)) {
    throw new CliError(`there is no context "${name}"`, {
      exitCode: EXIT.notFound,
      next: 'quorate context get-contexts',
    });
  }
  const rest = contexts.filter((context) => context.name !== name);
  await writeConfigFile(terminal, {
    currentContext: currentContext === name ? undefined : currentContext,
    contexts: rest,
  });
  terminal.err(`Deleted context ${name}\n`);
}

/** The server's version is told when one is known and answers soon; the command works without. */
export async function version(
  terminal: Terminal,
  client: string,
  flags: SessionFlags & { readonly client?: boolean },
): Promise<void> {
  const format = formatOf(flags.output);
  const server = flags.client === true ? undefined : await serverVersion(terminal, flags);
  const shape = { noun: 'version', name: () => client, columns: [] };
  const text = `client  ${client}\n${server === undefined ? '' : `server  ${server}\n`}`;
  await printOne(terminal, format, { client, server: server ?? null }, shape, () => text);
}

async function serverVersion(terminal: Terminal, flags: SessionFlags): Promise<string | undefined> {
  try {
    const api = new ApiClient(await resolveTarget(terminal, flags));
    const { info } = await api.get<{ info?: { version?: string } }>('openapi.json', { timeoutMs: 2000 });
    return info?.version;
  } catch (error) {
    terminal.err(
      `The server's version is not known: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    return undefined;
  }
}
