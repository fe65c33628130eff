/** cosi.resource.State of one machine: Get and List. Nobody may write. */
import { status, type Server } from '@grpc/grpc-js';
import { stringify } from 'yaml';
import { StateService, type Resource, type StateServer } from '../../generated/proto/talos/cosi/state';
import { isAdmin, type Caller } from './authorize-call';
import { RESOURCE_TYPES, type ResourceType, type ResourceView } from './cosi-specs';
import { serverStream, unary } from './serve-call';
import type { SimulatedMachine } from './simulated-machine';
import { TalosError } from './talos-error';

export function cosiService(server: Server, machine: SimulatedMachine): void {
  const versions = new Map<string, { text: string; version: number; updated: Date }>();
  const resource = (type: string, { namespace }: ResourceType, view: ResourceView): Resource => {
    const text = stringify(view.spec ?? {});
    const key = `${type}/${view.id}`;
    let known = versions.get(key);
    if (known?.text !== text) {
      known = { text, version: (known?.version ?? 0) + 1, updated: new Date() };
      versions.set(key, known);
    }
    return {
      metadata: {
        namespace,
        type,
        id: view.id,
        version: String(known.version),
        owner: 'simulator',
        phase: 'running',
        created: known.updated,
        updated: known.updated,
        finalizers: [],
        labels: {},
        annotations: {},
      },
      spec: { protoSpec: Buffer.from(view.proto ?? []), yamlSpec: text },
    };
  };
  const implementation: StateServer = {
    get: unary(machine, 'Get', async ({ type, namespace, id }, caller) => {
      const found = find(type, namespace, caller);
      const view = (await found.view(machine)).find((one) => one.id === id);
      if (view === undefined) {
        throw new TalosError(status.NOT_FOUND, `resource ${type}(${namespace}/${id}) doesn't exist`);
      }
      return { resource: resource(type, found, view) };
    }),
    list: serverStream(machine, 'List', async ({ type, namespace, options }, caller) => {
      const found = find(type, namespace, caller);
      const pattern = options?.idQuery?.regexp;
      const views = (await found.view(machine)).filter(
        (view) => !pattern || new RegExp(pattern).test(view.id),
      );
      return views.map((view) => ({ resource: resource(type, found, view) }));
    }),
  };
  server.addService(StateService, implementation);
}

function find(type: string, namespace: string, caller: Caller): ResourceType {
  const found = Object.hasOwn(RESOURCE_TYPES, type) ? RESOURCE_TYPES[type] : undefined;
  if (found === undefined) {
    throw new TalosError(status.PERMISSION_DENIED, `resource type "${type}" is not supported`);
  }
  if (found.namespace !== namespace) {
    throw new TalosError(status.PERMISSION_DENIED, `namespace "${namespace}" is not supported`);
  }
  if (found.sensitive === true && !isAdmin(caller)) {
    throw new TalosError(status.PERMISSION_DENIED, 'not authorized');
  }
  return found;
}
