import { Pool } from 'pg';

/**
 * Connections in role quorate_system for leases and the journal: single statements, where an ORM costs more than they.
 *
 * Commits do not wait for the disk. A lease that a crash of the database takes back was followed by no durable write:
 * the journal and FencedWrites wait for theirs, and a flush covers everything before it. A lost release or hint is a
 * key that runs once more.
 */
export class ReconcilePool extends Pool {
  constructor(options: { readonly url: string; readonly poolSize: number }) {
    super({
      connectionString: options.url,
      max: options.poolSize,
      keepAlive: true,
      application_name: 'quorate-reconcile',
      options: '-c synchronous_commit=off',
    });
    // An idle connection that drops is replaced at its next use.
    this.on('error', () => undefined);
  }
}
