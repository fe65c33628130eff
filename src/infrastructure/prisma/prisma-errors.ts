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

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
