import { z } from 'zod';

/** DNS label: what every name of ours is. */
export const Name = z
  .string()
  .max(63)
  .regex(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    'must be lower-case letters, digits and hyphens, and begin and end with a letter or digit',
  );

/** In paths: any text, since a name that cannot exist is simply not found. */
export const PathName = z.string().min(1).max(253);
export const TenantParams = z.strictObject({ tenant: PathName });

/** Times are UTC, ISO 8601. */
export const Time = z.iso.datetime();
export const Count = z.int().min(0).max(2_147_483_647);

export const timeOf = (at: Date): string => at.toISOString();
export const optionalTimeOf = (at: Date | null): string | null => at?.toISOString() ?? null;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => UUID.test(text);
