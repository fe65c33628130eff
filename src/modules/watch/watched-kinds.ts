import { Injectable } from '@nestjs/common';
import type { AccessKey } from '../../domain/access/access-matrix';
import { assertNever } from '../../domain/shared/assert-never';
import type { Cursor } from '../../platform/http/paging';
import { ClusterRepository, type ClusterRow } from '../clusters/cluster.repository';
import { presentCluster, presentClusterMachine } from '../clusters/clusters.schemas';
import { EventRepository } from '../events/event.repository';
import { presentEvent } from '../events/events.schemas';
import { MachineClassRepository, MachineRepository } from '../machines/machine.repository';
import { presentMachine, presentMachineClass } from '../machines/machines.schemas';
import { OperationRepository } from '../operations/operation.repository';
import { presentOperation } from '../operations/operations.schemas';
import { TenantProviderRepository } from '../providers/tenant-provider.repository';
import { presentProvider } from '../providers/providers.schemas';
import type { TenantTx } from '../tenancy/tenant-unit-of-work';
import { TokenRepository } from '../tenancy/token.repository';
import { presentToken } from '../tenancy/tokens.schemas';

/** What a tenant can watch. Machine requests are not here: of managed clusters they are the platform's. */
export const WATCHED_KINDS = [
  'Cluster',
  'ClusterMachine',
  'Operation',
  'Event',
  'Machine',
  'MachineClass',
  'Provider',
  'Token',
] as const;
export type WatchedKind = (typeof WATCHED_KINDS)[number];

/** Who may list a kind may watch it. */
export const ACCESS_OF_KIND: Readonly<Record<WatchedKind, AccessKey>> = {
  Cluster: { resource: 'cluster', verb: 'list' },
  ClusterMachine: { resource: 'cluster-machine', verb: 'list' },
  Operation: { resource: 'operation', verb: 'list' },
  Event: { resource: 'event', verb: 'list' },
  Machine: { resource: 'machine', verb: 'list' },
  MachineClass: { resource: 'machine-class', verb: 'list' },
  Provider: { resource: 'provider', verb: 'list' },
  Token: { resource: 'token', verb: 'list' },
};

export interface InitialObject {
  readonly kind: WatchedKind;
  readonly object: object;
}

const PAGE = 200;

/** The object as the API shows it now: a watch tells nothing that a GET would not. */
@Injectable()
export class WatchedObjects {
  constructor(
    private readonly clusters: ClusterRepository,
    private readonly operations: OperationRepository,
    private readonly events: EventRepository,
    private readonly machines: MachineRepository,
    private readonly classes: MachineClassRepository,
    private readonly providers: TenantProviderRepository,
    private readonly tokens: TokenRepository,
  ) {}

  /** Undefined when it is gone. */
  async present(tx: TenantTx, kind: WatchedKind, id: string): Promise<object | undefined> {
    const as = <T>(row: T | undefined, show: (row: T) => object): object | undefined =>
      row === undefined ? undefined : show(row);
    switch (kind) {
      case 'Cluster':
        return as(await this.clusters.findById(tx, id), presentCluster);
      case 'ClusterMachine':
        return as(await this.clusters.findMachine(tx, id), presentClusterMachine);
      case 'Operation':
        return as(await this.operations.find(tx, id), presentOperation);
      case 'Event':
        return as(await this.events.findById(tx, id), presentEvent);
      case 'Machine':
        return as(await this.machines.findById(tx, id), presentMachine);
      case 'MachineClass':
        return as(await this.classes.findById(tx, id), presentMachineClass);
      case 'Provider':
        return as(await this.providers.findById(tx, id), presentProvider);
      case 'Token':
        return as(await this.tokens.findById(tx, id), presentToken);
      default:
        return assertNever(kind);
    }
  }

  /** What is there when a watch begins: all clusters and the newest operations; other kinds begin with their next change. */
  async initial(tx: TenantTx, kinds: readonly WatchedKind[]): Promise<readonly InitialObject[]> {
    const clusters = kinds.includes('Cluster') ? await this.allClusters(tx) : [];
    const operations = kinds.includes('Operation')
      ? (await this.operations.list(tx, {}, { size: PAGE, after: undefined })).items
      : [];
    return [
      ...clusters.map((row) => ({ kind: 'Cluster' as const, object: presentCluster(row) })),
      ...operations.map((row) => ({ kind: 'Operation' as const, object: presentOperation(row) })),
    ];
  }

  private async allClusters(tx: TenantTx): Promise<readonly ClusterRow[]> {
    const rows: ClusterRow[] = [];
    let after: Cursor | undefined;
    do {
      const page = await this.clusters.list(tx, { size: PAGE, after });
      rows.push(...page.items);
      after = page.next;
    } while (after !== undefined);
    return rows;
  }
}
