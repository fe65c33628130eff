/** What the environment tells the process; all that is wrong with it at once. */
import { isLogLevel, type LogLevel } from './sdk/agent-log';

const PROVIDERS = ['simulated'] as const;
const MOST_IN_FLIGHT = 1_000;

export interface MainOptions {
  readonly provider: (typeof PROVIDERS)[number];
  readonly endpoint: string;
  readonly caFile: string;
  readonly joinToken: string;
  readonly name: string;
  readonly stateDir: string;
  readonly site: string;
  readonly maxInFlight: number;
  readonly logLevel: LogLevel;
  readonly simulatorUrl: string;
  readonly simulatorToken: string;
}

export class MainOptionsError extends Error {
  override readonly name = 'MainOptionsError';
}

/** @throws MainOptionsError that names every variable that is missing or wrong, and never a value that may be secret. */
export function readMainOptions(env: Readonly<Record<string, string | undefined>>): MainOptions {
  const problems: string[] = [];
  const required = (key: string, is: (value: string) => boolean = () => true, expected = ''): string => {
    const value = env[key]?.trim() ?? '';
    if (value === '') {
      problems.push(`${key} is not set`);
    } else if (!is(value)) {
      problems.push(`${key} must be ${expected}`);
    }
    return value;
  };
  const provider = PROVIDERS.find((known) => known === (env['AGENT_PROVIDER'] || 'simulated'));
  if (provider === undefined) {
    problems.push(`AGENT_PROVIDER must be one of ${PROVIDERS.join(', ')}`);
  }
  const maxInFlight = Number(env['AGENT_MAX_IN_FLIGHT'] || 10);
  if (!Number.isInteger(maxInFlight) || maxInFlight < 1 || maxInFlight > MOST_IN_FLIGHT) {
    problems.push(`AGENT_MAX_IN_FLIGHT must be a whole number from 1 to ${MOST_IN_FLIGHT}`);
  }
  const options = {
    provider: provider ?? 'simulated',
    endpoint: required('AGENT_ENDPOINT', isEndpoint, 'host:port'),
    caFile: required('AGENT_CA_FILE'),
    joinToken: required('AGENT_JOIN_TOKEN'),
    name: required('AGENT_NAME'),
    stateDir: required('AGENT_STATE_DIR'),
    site: required('AGENT_SITE'),
    maxInFlight,
    logLevel: logLevelOf(env['LOG_LEVEL']),
    simulatorUrl: required('SIMULATOR_URL', isHttpUrl, 'an http:// or https:// URL'),
    simulatorToken: required('SIMULATOR_TOKEN'),
  };
  if (problems.length > 0) {
    throw new MainOptionsError(`the agent cannot start:\n${problems.map((one) => `  ${one}`).join('\n')}`);
  }
  return options;
}

function isEndpoint(value: string): boolean {
  const port = Number(/^(?:\[[0-9a-fA-F:.]+\]|[^\s:/]+):(\d{1,5})$/.exec(value)?.[1] ?? 0);
  return port > 0 && port < 65_536;
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

/** Shared with the server, which knows more levels. */
function logLevelOf(value: string | undefined): LogLevel {
  if (value === undefined || value === '') {
    return 'info';
  }
  if (value === 'trace') {
    return 'debug';
  }
  return isLogLevel(value) ? value : 'error';
}
