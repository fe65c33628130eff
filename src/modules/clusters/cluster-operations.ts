import { Injectable } from '@nestjs/common';
import {
  OperationRepository,
  type OperationKind,
  type OperationRow,
} from '../operations/operation.repository';
import { Outbox } from '../tenancy/outbox';
import type { TenantTx } from '../tenancy/tenant-unit-of-work';
import type { ClusterRow } from './cluster.repository';

/** The operation of a change to a cluster, with what wakes the reconciler and tells the watches. */
@Injectable()
export class ClusterOperations {
  constructor(
    private readonly operations: OperationRepository,
    private readonly outbox: Outbox,
  ) {}

  async start(
    tx: TenantTx,
    cluster: ClusterRow,
    kind: OperationKind,
    requestedBy: string,
  ): Promise<OperationRow> {
    const now = new Date();
    const message =
      kind === 'delete' ? 'superseded by the deletion of the cluster' : 'superseded by a newer template';
    for (const id of await this.operations.supersede(tx, cluster.id, message, now)) {
      await this.outbox.append(tx, { kind: 'Operation', objectId: id, change: 'updated' });
    }
    const { id: clusterId, name: clusterName, generation } = cluster;
    const operation = await this.operations.create(
      tx,
      { clusterId, clusterName, kind, generation, requestedBy, message: '', state: 'Pending' },
      now,
    );
    await this.outbox.append(tx, { kind: 'Operation', objectId: operation.id, change: 'created' });
    await this.outbox.append(tx, {
      kind: 'Cluster',
      objectId: clusterId,
      change: kind === 'create' ? 'created' : 'updated',
      hintKey: `cluster:${clusterId}`,
    });
    return operation;
  }

  /** While an earlier sync of the same template still runs, that one is the answer: whoever waits, waits for the cluster. */
  async unchanged(tx: TenantTx, cluster: ClusterRow, requestedBy: string): Promise<OperationRow> {
    const running = await this.operations.findUnfinished(tx, cluster.id);
    if (running !== undefined) {
      return running;
    }
    const { id: clusterId, name: clusterName, generation } = cluster;
    const fields = {
      clusterId,
      clusterName,
      generation,
      requestedBy,
      kind: 'update',
      message: 'no change',
      state: 'Succeeded',
    } as const;
    const operation = await this.operations.create(tx, fields, new Date());
    await this.outbox.append(tx, { kind: 'Operation', objectId: operation.id, change: 'created' });
    return operation;
  }
}
