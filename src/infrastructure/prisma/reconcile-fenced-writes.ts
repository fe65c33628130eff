import type { Prisma } from '../../generated/prisma/client';
import { FencedWrites, type SystemTx } from '../../reconcile/runtime/fenced-writes';
import { FencedOut, type Lease } from '../../reconcile/runtime/lease';
import type { SystemPrisma } from './prisma-clients';

const clients = new WeakMap<SystemTx, Prisma.TransactionClient>();

/** The Prisma client behind a SystemTx; for the adapters of reconcilers only. */
export function systemClientOf(tx: SystemTx): Prisma.TransactionClient {
  const client = clients.get(tx);
  if (client === undefined) {
    throw new Error('this SystemTx was not made by FencedWrites');
  }
  return client;
}

export class PrismaFencedWrites extends FencedWrites {
  constructor(private readonly prisma: SystemPrisma) {
    super();
  }

  run<T>(lease: Lease, work: (tx: SystemTx) => Promise<T>): Promise<T> {
    return this.prisma.$transaction(async (client) => {
      // KEY SHARE goes with the plain updates of heartbeats and hints, which change no key, but not with the FOR UPDATE
      // of a takeover: nobody gets a new fence before this transaction ends, and afterwards the row refuses it.
      const held = await client.$queryRaw<unknown[]>`
        SELECT 1 FROM reconcile_keys
        WHERE key = ${lease.key} AND owner = ${lease.owner} AND fence = ${lease.fence}
        FOR KEY SHARE`;
      if (held.length === 0) {
        throw new FencedOut(lease);
      }
      const tx = { lease } as SystemTx;
      clients.set(tx, client);
      return work(tx);
    });
  }
}
