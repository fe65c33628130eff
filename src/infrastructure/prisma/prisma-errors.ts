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

/** No connection of the pool came free, or no transaction began, in time: the caller may come again. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === 'P2028' || codeOf(error) === 'P2024';
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
