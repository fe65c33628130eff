/** One request to the API server: what was asked, by whom, with which body; and the ways to answer it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import type { KubeUser } from './authenticate';
import { decodeProtobuf, PROTOBUF_TYPE } from './decode-protobuf';
import { isJsonObject, type JsonObject, type KubeObject } from './kube-object';
import { renderTable, wantsTable, type IncludedObject, type TableOptions } from './render-table';
import { groupVersionOf, type ResourceKind } from './resource-kinds';
import { StatusError } from './status-error';

const MAX_BODY_BYTES = 3 * 1024 * 1024;

export interface KubeCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly user: KubeUser;
}

export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      throw new StatusError('RequestEntityTooLarge', `the request is larger than ${MAX_BODY_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return parseBody(Buffer.concat(chunks), request.headers['content-type'] ?? 'application/json');
}

function parseBody(body: Buffer, type: string): unknown {
  if (body.length === 0) {
    return undefined;
  }
  try {
    if (type.startsWith(PROTOBUF_TYPE)) {
      return decodeProtobuf(body);
    }
    if (type.includes('yaml')) {
      return parse(body.toString('utf8'));
    }
    if (type.includes('json')) {
      return JSON.parse(body.toString('utf8'));
    }
  } catch (error) {
    throw error instanceof StatusError
      ? error
      : new StatusError('BadRequest', `the object provided is unrecognized: ${String(error)}`);
  }
  throw new StatusError('UnsupportedMediaType', `the body of the request was in an unknown format: ${type}`);
}

export async function readObject(request: IncomingMessage, kind: ResourceKind): Promise<KubeObject> {
  const body = await readBody(request);
  if (!isJsonObject(body)) {
    throw new StatusError('BadRequest', 'the body of the request is not an object');
  }
  const apiVersion = groupVersionOf(kind);
  if ((body['kind'] ?? kind.kind) !== kind.kind || (body['apiVersion'] ?? apiVersion) !== apiVersion) {
    const expected = `${apiVersion}, Kind=${kind.kind}`;
    throw new StatusError('BadRequest', `the object provided is not of the expected type ${expected}`);
  }
  return {
    ...body,
    apiVersion,
    kind: kind.kind,
    metadata: isJsonObject(body['metadata']) ? body['metadata'] : {},
  };
}

export function sendJson(response: ServerResponse, code: number, body: JsonObject): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

export function sendText(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}

export function tableOptions(call: KubeCall, plural: string, now: number): TableOptions {
  const include = (call.url.searchParams.get('includeObject') ?? 'Metadata') as IncludedObject;
  return { plural, include, resourceVersion: undefined, now };
}

/** One object, as a table when the client asked for one. */
export function sendObject(
  call: KubeCall,
  kind: ResourceKind,
  object: KubeObject,
  now: number,
  code = 200,
): void {
  const table = wantsTable(call.request.headers.accept);
  const options = {
    ...tableOptions(call, kind.plural, now),
    resourceVersion: object.metadata.resourceVersion,
  };
  sendJson(call.response, code, table ? renderTable([object], options) : object);
}

/** Settable slowness of the whole server. */
export function latency(ms: number | undefined): Promise<void> {
  return ms === undefined || ms <= 0 ? Promise.resolve() : delay(ms);
}
