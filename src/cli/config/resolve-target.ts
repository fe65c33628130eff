/** Which server, which tenant, whose token: flags beat the environment, which beats the context, which beats quickstart. */
import { CliError, usageError } from '../cli-error';
import { EXIT } from '../exit-codes';
import type { Terminal } from '../terminal/terminal';
import { readConfigFile, type Context } from './config-file';
import { quickstartPath, readQuickstart } from './quickstart';

export interface TargetFlags {
  readonly endpoint?: string;
  readonly tenant?: string;
  readonly context?: string;
}

export interface Target {
  readonly endpoint: string;
  /** Empty when none is named anywhere. */
  readonly tenant: string;
  readonly token: string;
  /** Where it comes from, for `whoami`. */
  readonly source: string;
}

const LOG_IN = 'quorate login <url> --token-stdin';
const filled = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

export function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`"${text}" is not a URL of a server`, 'write it as https://quorate.example.com');
  }
  return url.href.replace(/\/+$/, '');
}

async function chosenContext(terminal: Terminal, name: string | undefined): Promise<Context | undefined> {
  const { contexts, currentContext } = await readConfigFile(terminal);
  const wanted = name ?? currentContext;
  const found = contexts.find((context) => context.name === wanted);
  if (name !== undefined && found === undefined) {
    const known = contexts.map((context) => context.name).join(', ') || 'none';
    throw new CliError(`there is no context "${name}"`, {
      exitCode: EXIT.usage,
      why: [`known contexts: ${known}`],
      next: LOG_IN,
    });
  }
  return found;
}

/** A token is sent only to the server that it was given for, unless the environment says so. */
function tokenFor(endpoint: string, context: Context | undefined, envToken: string | undefined): string {
  if (envToken !== undefined) {
    return envToken;
  }
  if (context !== undefined && endpointOf(context.endpoint) === endpoint) {
    return context.token;
  }
  throw new CliError(`there is no token for ${endpoint}`, {
    exitCode: EXIT.denied,
    next: `set QUORATE_TOKEN, or: ${LOG_IN}`,
  });
}

function fromQuickstart(terminal: Terminal, tenantWanted: string | undefined): Target {
  const quickstart = readQuickstart(terminal);
  if (quickstart === undefined) {
    throw new CliError('you are not logged in to any server', {
      exitCode: EXIT.denied,
      why: [`and no local installation has left ${quickstartPath(terminal)}`],
      next: `set QUORATE_DATA_DIR as for npm start, or: ${LOG_IN}`,
    });
  }
  const tenant = tenantWanted ?? quickstart.tenant;
  const { operatorToken } = quickstart;
  const own = tenant === quickstart.tenant || operatorToken === undefined;
  const who = own ? `tenant ${tenant}` : `tenant ${tenant}, as the operator`;
  terminal.err(`Using the local installation of ${quickstart.file} (${quickstart.url}, ${who})\n`);
  const token = own ? quickstart.token : operatorToken;
  return { endpoint: endpointOf(quickstart.url), tenant, token, source: quickstart.file };
}

export async function resolveTarget(terminal: Terminal, flags: TargetFlags): Promise<Target> {
  const { env } = terminal;
  // A context that is named on the command line beats the environment as a whole.
  const explicit = flags.context !== undefined;
  const read = (name: string): string | undefined => (explicit ? undefined : filled(env[name]));
  const context = await chosenContext(terminal, flags.context ?? filled(env['QUORATE_CONTEXT']));
  const named = flags.endpoint ?? read('QUORATE_ENDPOINT') ?? context?.endpoint;
  const tenantWanted = flags.tenant ?? read('QUORATE_TENANT');
  if (named === undefined) {
    return fromQuickstart(terminal, tenantWanted);
  }
  const endpoint = endpointOf(named);
  const token = tokenFor(endpoint, context, read('QUORATE_TOKEN'));
  const source = context?.token === token ? `context ${context.name}` : 'the environment';
  return { endpoint, tenant: tenantWanted ?? context?.tenant ?? '', token, source };
}
