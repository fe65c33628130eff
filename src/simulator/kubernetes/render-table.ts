/** `kind: Table`, the form in which `kubectl get` asks for objects. */
import { type JsonObject, type KubeObject } from './kube-object';
import { columnsOf } from './table-columns';

/** How much of each object goes with its row; `--sort-by` and `-w` ask for more than the metadata. */
export type IncludedObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  readonly plural: string;
  readonly include: IncludedObject;
  readonly resourceVersion: string | undefined;
  readonly now: number;
}

export function wantsTable(accept: string | undefined): boolean {
  return accept?.includes('as=Table') === true;
}

function included(object: KubeObject, include: IncludedObject): JsonObject | undefined {
  if (include === 'None') {
    return undefined;
  }
  const { metadata } = object;
  return include === 'Object'
    ? object
    : { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

export function renderTable(objects: readonly KubeObject[], options: TableOptions): JsonObject {
  const columns = columnsOf(options.plural);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: options.resourceVersion === undefined ? {} : { resourceVersion: options.resourceVersion },
    columnDefinitions: columns.map((column) => ({
      name: column.name,
      type: 'string',
      format: column.name === 'Name' ? 'name' : '',
      description: column.name,
      priority: column.wide === true ? 1 : 0,
    })),
    rows: objects.map((object) => ({
      cells: columns.map((column) => column.cell(object, options.now)),
      object: included(object, options.include),
    })),
  };
}
