/** HTTP server of the control API. */
import { timingSafeEqual, createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { FAULT_KINDS } from '../machine/faults';
import type { SimulatedDataCenter } from '../simulated-data-center';

const MAX_BODY = 64 * 1024;

const text = z.string().min(1).max(256);
const size = z.number().int().positive();
const MachineBody = z.strictObject({
  requestId: text.optional(),
  machineId: text.optional(),
  site: text.optional(),
  cpus: size.optional(),
  memoryBytes: size.optional(),
  diskBytes: size.optional(),
  talosVersion: z.string().regex(/^v?1\.\d+\.\d+/),
  schematicId: text.optional(),
});
const FaultBody = z.strictObject({
  machine: text.optional(),
  kind: z.enum(FAULT_KINDS),
  delayMs: z.number().int().min(0).max(600_000).optional(),
});

interface Answer {
  readonly code: number;
  readonly body?: unknown;
}

export interface RunningControlApi {
  readonly port: number;
  close(): Promise<void>;
}

export async function startControlApi(
  dataCenter: SimulatedDataCenter,
  host: string,
  port: number,
  token: string,
): Promise<RunningControlApi> {
  const server = http.createServer((request, response) => {
    void respond(dataCenter, token, request).then(({ code, body }) => {
      response.writeHead(code, { 'content-type': 'application/json' });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function respond(
  dataCenter: SimulatedDataCenter,
  token: string,
  request: http.IncomingMessage,
): Promise<Answer> {
  try {
    const url = new URL(request.url ?? '/', 'http://simulator');
    if (url.pathname === '/healthz') {
      return { code: 200, body: { ok: true } };
    }
    if (!isAuthorized(request, token)) {
      return problem(401, 'the bearer token is missing or wrong');
    }
    return await route(dataCenter, request.method ?? 'GET', url, () => readJson(request));
  } catch (error) {
    if (error instanceof z.ZodError) {
      return problem(400, z.prettifyError(error));
    }
    if (error instanceof SyntaxError) {
      return problem(400, 'the body is not JSON');
    }
    return problem(500, error instanceof Error ? error.message : String(error));
  }
}

async function route(
  dataCenter: SimulatedDataCenter,
  method: string,
  url: URL,
  body: () => Promise<unknown>,
): Promise<Answer> {
  const [, collection = '', encoded] = url.pathname.split('/');
  if (collection === '' && method === 'GET') {
    return { code: 200, body: dataCenter.info() };
  }
  if (collection === 'faults' && method === 'PUT') {
    const { machine, ...fault } = FaultBody.parse(await body());
    const found = await dataCenter.setFault(
      machine,
      fault.delayMs === undefined ? { kind: fault.kind } : { kind: fault.kind, delayMs: fault.delayMs },
    );
    return found ? { code: 204 } : problem(404, `there is no machine ${machine}`);
  }
  if (collection !== 'machines') {
    return problem(404, 'not found');
  }
  if (encoded === undefined || encoded === '') {
    if (method !== 'GET') {
      return problem(405, 'method not allowed');
    }
    return { code: 200, body: { machines: dataCenter.list(url.searchParams.get('site') ?? undefined) } };
  }
  return routeMachine(dataCenter, method, decodeURIComponent(encoded), body);
}

async function routeMachine(
  dataCenter: SimulatedDataCenter,
  method: string,
  ref: string,
  body: () => Promise<unknown>,
): Promise<Answer> {
  switch (method) {
    case 'GET': {
      const machine = dataCenter.find(ref);
      return machine === undefined
        ? problem(404, `there is no machine ${ref}`)
        : { code: 200, body: machine };
    }
    case 'PUT': {
      const { created, machine } = await dataCenter.put(ref, MachineBody.parse(await body()));
      return { code: created ? 201 : 200, body: machine };
    }
    case 'DELETE':
      await dataCenter.remove(ref);
      return { code: 204 };
    default:
      return problem(405, 'method not allowed');
  }
}

function problem(code: number, error: string): Answer {
  return { code, body: { error } };
}

function isAuthorized(request: http.IncomingMessage, token: string): boolean {
  const digest = (value: string): Buffer => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(request.headers.authorization ?? ''), digest(`Bearer ${token}`));
}

async function readJson(request: http.IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length > MAX_BODY) {
      throw new SyntaxError('too large');
    }
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
}
