/** `?watch=true`: a line of JSON per change, for as long as the client listens. */
import { EtcdCompactedError, type EtcdEvent } from '../etcd/etcd-store';
import type { KubeCall } from './kube-call';
import { tableOptions } from './kube-call';
import type { JsonObject, KubeObject } from './kube-object';
import { fieldMatcher, labelMatcher, type Matcher } from './match-selector';
import { isReady } from './node-health';
import { decode, type Registry } from './registry';
import { renderTable, wantsTable } from './render-table';
import type { ResourceRequest } from './parse-request-path';
import { groupVersionOf } from './resource-kinds';
import { StatusError } from './status-error';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

const DEFAULT_TIMEOUT_S = 1800;
/** A node's readiness also changes by mere silence, which is no event in etcd. */
const NODE_CHECK_MS = 1000;

export function selectorOf(call: KubeCall): Matcher {
  const byLabel = labelMatcher(call.url.searchParams.get('labelSelector'));
  const byField = fieldMatcher(call.url.searchParams.get('fieldSelector'));
  return (object) => byLabel(object) && byField(object);
}

/** What a client has been told; turns changes in etcd into what they mean for its selection. */
class WatchStream {
  private readonly known = new Map<string, KubeObject>();
  private readonly selected: Matcher;

  constructor(
    private readonly call: KubeCall,
    private readonly target: ResourceRequest,
    private readonly registry: Registry,
  ) {
    this.selected = selectorOf(call);
  }

  remember(object: KubeObject): void {
    if (this.selected(object)) {
      this.known.set(keyOf(object), object);
    }
  }

  changed(object: KubeObject): void {
    const key = keyOf(object);
    const before = this.known.get(key);
    const selected = this.selected(object);
    if (selected) {
      this.known.set(key, object);
      this.send(before === undefined ? 'ADDED' : 'MODIFIED', object);
    } else if (before !== undefined) {
      this.known.delete(key);
      this.send('DELETED', object);
    }
  }

  deleted(event: EtcdEvent): void {
    const [name = '', namespace] = event.key.split('/').slice(3).reverse();
    const { kind } = this.target;
    const key = keyOf({ metadata: { name, ...(namespace === undefined ? {} : { namespace }) } });
    const last = this.known.get(key);
    const object = last ?? {
      apiVersion: groupVersionOf(kind),
      kind: kind.kind,
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    };
    if (last === undefined && !this.selected(object)) {
      return;
    }
    this.known.delete(key);
    const resourceVersion = String(event.modRevision);
    this.send('DELETED', { ...object, metadata: { ...object.metadata, resourceVersion } });
  }

  readinessChanged(node: KubeObject): void {
    const before = this.known.get(keyOf(node));
    if (before !== undefined && isReady(before) !== isReady(node)) {
      this.changed(node);
    }
  }

  fail(error: unknown): void {
    const status =
      error instanceof EtcdCompactedError
        ? new StatusError('Expired', 'too old resource version')
        : new StatusError('InternalError', String(error));
    this.write({ type: 'ERROR', object: status.body() });
    this.call.response.end();
  }

  private send(type: EventType, object: KubeObject): void {
    const { kind } = this.target;
    const options = {
      ...tableOptions(this.call, kind.plural, this.registry.now()),
      resourceVersion: object.metadata.resourceVersion,
    };
    const table = wantsTable(this.call.request.headers.accept);
    this.write({ type, object: table ? renderTable([object], options) : object });
  }

  private write(line: JsonObject): void {
    this.call.response.write(`${JSON.stringify(line)}\n`);
  }
}

const keyOf = (object: Pick<KubeObject, 'metadata'>): string =>
  `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;

async function open(stream: WatchStream, call: KubeCall, target: ResourceRequest, registry: Registry) {
  const asked = Number(call.url.searchParams.get('resourceVersion') ?? 0);
  const { items, revision } = await registry.list(target.kind, target.namespace);
  if (asked > 0) {
    // What changed after the revision that the client knows comes again as an event.
    items.filter((o) => Number(o.metadata.resourceVersion) <= asked).forEach((o) => stream.remember(o));
  } else {
    items.forEach((o) => stream.changed(o));
  }
  const isNode = target.kind.plural === 'nodes';
  const onEvent = (event: EtcdEvent): void => {
    if (event.type === 'delete') {
      stream.deleted(event);
    } else {
      stream.changed(decode(event.value ?? '{}', event.modRevision));
    }
  };
  const unwatch = await registry.watch(
    target.kind,
    target.namespace,
    (asked > 0 ? asked : revision) + 1,
    onEvent,
  );
  const check = (): void => {
    registry.list(target.kind).then(
      ({ items: nodes }) => nodes.forEach((node) => stream.readinessChanged(node)),
      () => undefined, // etcd without a quorum: the next check may do better
    );
  };
  const timer = isNode ? setInterval(check, NODE_CHECK_MS) : undefined;
  return () => {
    clearInterval(timer);
    unwatch();
  };
}

export async function watchObjects(
  call: KubeCall,
  target: ResourceRequest,
  registry: Registry,
): Promise<void> {
  const { response, url } = call;
  if (url.searchParams.get('sendInitialEvents') !== null) {
    // Clients fall back to list and watch.
    throw new StatusError(
      'Invalid',
      'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    );
  }
  const stream = new WatchStream(call, target, registry);
  response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
  response.flushHeaders();
  const seconds = Number(url.searchParams.get('timeoutSeconds') ?? DEFAULT_TIMEOUT_S);
  const timeout = setTimeout(() => response.end(), seconds * 1000);
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  try {
    const end = await open(stream, call, target, registry);
    await closed;
    end();
  } catch (error) {
    stream.fail(error);
  } finally {
    clearTimeout(timeout);
  }
}
