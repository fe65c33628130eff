/** EtcdStore over the JSON gateway of one real etcd member. */
import { fromBase64, toBase64, type GatewayClient, type Json } from './gateway-client';
import {
  EtcdCompactedError,
  EtcdConflictError,
  type EtcdEvent,
  type EtcdItem,
  type EtcdStore,
} from './etcd-store';

const RECONNECT_MS = 500;

interface RawItem {
  readonly key: string;
  readonly value?: string;
  readonly mod_revision: string;
}

export class GatewayStore implements EtcdStore {
  constructor(
    private readonly client: GatewayClient,
    private readonly running: () => boolean,
  ) {}

  async get(key: string): Promise<{ value: string; modRevision: number } | undefined> {
    const answer = await this.client.call('/v3/kv/range', { key: toBase64(key) });
    const item = (answer.kvs as RawItem[] | undefined)?.[0];
    return item && { value: fromBase64(item.value), modRevision: Number(item.mod_revision) };
  }

  async list(prefix: string): Promise<{ items: EtcdItem[]; revision: number }> {
    const answer = await this.client.call('/v3/kv/range', { ...range(prefix) });
    const items = ((answer.kvs as RawItem[] | undefined) ?? []).map((item) => ({
      key: fromBase64(item.key),
      value: fromBase64(item.value),
      modRevision: Number(item.mod_revision),
    }));
    return { items, revision: revisionOf(answer) };
  }

  async put(key: string, value: string, expected?: number): Promise<number> {
    const put = { key: toBase64(key), value: toBase64(value) };
    if (expected === undefined) {
      return revisionOf(await this.client.call('/v3/kv/put', put));
    }
    return (await this.transact(key, expected, { request_put: put })).revision;
  }

  async delete(key: string, expected?: number): Promise<number | undefined> {
    const request = { key: toBase64(key) };
    if (expected === undefined) {
      const answer = await this.client.call('/v3/kv/deleterange', request);
      return Number(answer.deleted ?? 0) > 0 ? revisionOf(answer) : undefined;
    }
    const { revision, responses } = await this.transact(key, expected, { request_delete_range: request });
    const deleted = (responses[0]?.response_delete_range as Json | undefined)?.deleted;
    return Number(deleted ?? 0) > 0 ? revision : undefined;
  }

  async watch(
    prefix: string,
    fromRevision: number,
    onEvent: (event: EtcdEvent) => void,
  ): Promise<() => void> {
    let next = fromRevision === 0 ? (await this.list(prefix)).revision + 1 : fromRevision;
    let ended = false;
    let endStream: () => void = () => undefined;
    const open = async (onReady: (error?: Error) => void): Promise<void> => {
      endStream = await this.client.stream(
        '/v3/watch',
        { create_request: { ...range(prefix), start_revision: String(next) } },
        (message) => {
          const result = (message.result ?? {}) as Json;
          if (result.canceled === true) {
            return onReady(new EtcdCompactedError());
          }
          if (result.created === true) {
            onReady();
          }
          for (const event of (result.events ?? []) as Json[]) {
            const seen = asEvent(event);
            next = seen.modRevision + 1;
            if (!ended) {
              onEvent(seen);
            }
          }
        },
        () => void again(),
      );
    };
    const again = async (): Promise<void> => {
      while (!ended && this.running()) {
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS).unref());
        try {
          await open(() => undefined);
          return;
        } catch {
          // the member is between two lives; the next round tells
        }
      }
    };
    await new Promise<void>((resolve, reject) => {
      open((error) => (error === undefined ? resolve() : reject(error))).catch(reject);
    });
    return () => {
      ended = true;
      endStream();
    };
  }

  private async transact(
    key: string,
    expected: number,
    act: Json,
  ): Promise<{ revision: number; responses: Json[] }> {
    const answer = await this.client.call('/v3/kv/txn', {
      compare: [{ key: toBase64(key), target: 'MOD', result: 'EQUAL', mod_revision: String(expected) }],
      success: [act],
    });
    if (answer.succeeded !== true) {
      throw new EtcdConflictError(key);
    }
    return { revision: revisionOf(answer), responses: (answer.responses ?? []) as Json[] };
  }
}

function asEvent(event: Json): EtcdEvent {
  const item = event.kv as RawItem;
  const key = fromBase64(item.key);
  const modRevision = Number(item.mod_revision);
  if (event.type === 'DELETE') {
    return { type: 'delete', key, modRevision };
  }
  return { type: 'put', key, value: fromBase64(item.value), modRevision };
}

/** All keys that begin with the prefix: up to the prefix with its last byte raised by one. */
function range(prefix: string): { key: string; range_end: string } {
  if (prefix === '') {
    return { key: Buffer.from([0]).toString('base64'), range_end: Buffer.from([0]).toString('base64') };
  }
  const end = Buffer.from(prefix, 'utf8');
  end.writeUInt8(end.readUInt8(end.length - 1) + 1, end.length - 1);
  return { key: toBase64(prefix), range_end: end.toString('base64') };
}

function revisionOf(answer: Json): number {
  return Number((answer.header as Json | undefined)?.revision ?? 0);
}
