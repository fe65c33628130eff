/** The one place that reads Prisma's errors: with a driver adapter the constraint's name is all there is. */

/** Name of the violated unique constraint, for instance `tenants_name_key`. */
export function violatedConstraint(error: unknown): string | undefined {
  if (codeOf(error) !== 'P2002') {
    return undefined;
  }
  const meta = (error as { meta?: { driverAdapterError?: { cause?: { constraint?: { index?: string } } } } })
    .meta;
  return meta?.driverAdapterError?.cause?.constraint?.index ?? '';
}

/** No connection came free in time, or PostgreSQL ended a deadlock with this transaction: the caller may come again. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  const sqlState = code === 'P2010' ? (error as { meta?: { code?: unknown } }).meta?.code : undefined;
  return [code, sqlState].some((known) => BUSY.includes(String(known)));
}

/** Prisma: no connection, no transaction, write conflict. PostgreSQL: serialization failure, deadlock. */
const BUSY = ['P2024', 'P2028', 'P2034', '40001', '40P01'];

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
