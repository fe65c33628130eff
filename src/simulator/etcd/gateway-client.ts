/** Client of etcd's JSON gateway (/v3/...): plain HTTP on loopback, so no gRPC descriptors of etcd are needed. */
import http from 'node:http';
import { EtcdMembershipError, type MembershipProblem } from './etcd-engine';
import { EtcdUnavailableError } from './etcd-store';

const TIMEOUT_MS = 5_000;

export type Json = Record<string, unknown>;

export class GatewayClient {
  private readonly agent = new http.Agent({ keepAlive: true, maxSockets: 16 });

  constructor(private readonly port: number) {}

  async call(path: string, body: Json, timeoutMs = TIMEOUT_MS): Promise<Json> {
    const response = await this.open(path, body, timeoutMs);
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
    }
    const text = Buffer.concat(chunks).toString('utf8');
    let answer: Json;
    try {
      answer = JSON.parse(text) as Json;
    } catch {
      throw new EtcdUnavailableError(`etcd answered ${response.statusCode}: ${text.slice(0, 200)}`);
    }
    if (response.statusCode === 200) {
      return answer;
    }
    throw asError(textOf(answer.error) || textOf(answer.message) || text);
  }

  /** Messages of a server stream, until `end` is called or the connection is lost. */
  async stream(
    path: string,
    body: Json,
    onMessage: (message: Json) => void,
    onLost: () => void,
  ): Promise<() => void> {
    const response = await this.open(path, body, 0);
    let rest = '';
    let ended = false;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line !== '' && !ended) {
          onMessage(JSON.parse(line) as Json);
        }
      }
    });
    response.on('error', () => undefined);
    response.once('close', () => {
      if (!ended) {
        onLost();
      }
    });
    return () => {
      ended = true;
      response.destroy();
    };
  }

  close(): void {
    this.agent.destroy();
  }

  private open(path: string, body: Json, timeoutMs: number): Promise<http.IncomingMessage> {
    const data = JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = http.request(
        {
          host: '127.0.0.1',
          port: this.port,
          path,
          method: 'POST',
          // A stream holds its connection: it must not take one from the pool.
          agent: timeoutMs === 0 ? false : this.agent,
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data) },
        },
        resolve,
      );
      if (timeoutMs > 0) {
        request.setTimeout(timeoutMs, () => request.destroy(new Error('etcd does not answer')));
      }
      request.on('error', (error) => reject(new EtcdUnavailableError(error.message)));
      request.end(data);
    });
  }
}

const PROBLEMS: readonly (readonly [RegExp, MembershipProblem])[] = [
  [/member not found|bad leader transferee/, 'not-found'],
  [/too many learner/, 'too-many-learners'],
  [/in sync with leader|can only promote a learner/, 'learner-not-ready'],
  [/unhealthy cluster|not enough started members/, 'unhealthy'],
  [/permanently removed|removed from the cluster/, 'removed'],
];

function asError(text: string): Error {
  const problem = PROBLEMS.find(([pattern]) => pattern.test(text))?.[1];
  return problem === undefined ? new EtcdUnavailableError(text) : new EtcdMembershipError(problem, text);
}

/** The gateway writes 64-bit numbers as texts, and leaves out what is zero or empty. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function bigintOf(value: unknown): bigint {
  return BigInt(textOf(value) || 0);
}

export function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

export function fromBase64(text: unknown): string {
  return Buffer.from(textOf(text), 'base64').toString('utf8');
}
