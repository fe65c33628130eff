/** HTTP client of the simulated cloud's control API. Its failures are failures of a dependency. */
import type { ControlApiProblem } from '../../../simulator/control-api/control-api-types';
import { ProviderError } from '../../sdk/infra-provider';
import { throwIfAborted } from '../../sdk/wait';

const TIMEOUT_MS = 10_000;

export class ControlApiClient {
  private readonly base: string;

  constructor(
    url: string,
    private readonly token: string,
  ) {
    this.base = url.replace(/\/+$/, '');
  }

  /** Undefined: there is no such thing. */
  async call<T>(method: string, path: string, signal: AbortSignal, body?: object): Promise<T | undefined> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${this.base}${path}`, {
        method,
        headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch {
      throwIfAborted(signal);
      throw new ProviderError('DEPENDENCY', 'the simulated cloud cannot be reached');
    }
    if (response.status === 404) {
      return undefined;
    }
    if (!response.ok) {
      throw problemOf(response.status, text);
    }
    return text === '' ? undefined : (parse(text) as T);
  }

  /** For what always has an answer. */
  async expect<T>(method: string, path: string, signal: AbortSignal, body?: object): Promise<T> {
    const answer = await this.call<T>(method, path, signal, body);
    if (answer === undefined) {
      throw new ProviderError('DEPENDENCY', 'the simulated cloud does not know this call');
    }
    return answer;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ProviderError('DEPENDENCY', 'the simulated cloud answers with something that is not JSON');
  }
}

function problemOf(code: number, text: string): ProviderError {
  switch (code) {
    case 400:
      return new ProviderError('INVALID_CONFIG', `the simulated cloud refuses: ${detailOf(text)}`, {
        retryable: false,
      });
    case 401:
    case 403:
      return new ProviderError('DEPENDENCY', 'the simulated cloud does not accept the token of the agent');
    case 429:
      return new ProviderError('RATE_LIMITED', 'the simulated cloud asks for fewer calls');
    default:
      return new ProviderError('DEPENDENCY', `the simulated cloud failed (HTTP ${code})`);
  }
}

function detailOf(text: string): string {
  try {
    return (JSON.parse(text) as ControlApiProblem).error;
  } catch {
    return 'without saying why';
  }
}
