import { z } from 'zod';
import { DomainError } from '../../domain/shared/errors';
import type { DerivedKeys } from './derived-keys';

export const PageQuery = {
  pageSize: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(50)
    .transform((size) => Math.min(size, 500)),
  pageToken: z.string().max(2000).optional(),
};

/** Where a list goes on: the sort key of the last row that was sent. */
export type Cursor = readonly string[];

export interface PageRequest {
  readonly size: number;
  readonly after: Cursor | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Absent at the end of the list. */
  readonly next?: Cursor;
}

export function pageOf<T extends z.ZodType>(
  item: T,
): z.ZodObject<{ items: z.ZodArray<T>; nextPageToken: z.ZodString }> {
  return z.strictObject({
    items: z.array(item),
    nextPageToken: z.string().describe('Empty at the end of the list.'),
  });
}

/** Cuts the one row too many that a repository reads to know whether the list goes on. */
export function cutPage<T>(rows: readonly T[], size: number, cursor: (row: T) => Cursor): Page<T> {
  const items = rows.slice(0, size);
  const last = items.at(-1);
  return rows.length > size && last !== undefined ? { items, next: cursor(last) } : { items };
}

/** Page tokens are signed and bound to the tenant, the list and its filter: one from elsewhere is refused. */
export class PageTokens {
  constructor(private readonly keys: DerivedKeys) {}

  read(
    scope: readonly unknown[],
    query: { readonly pageSize: number; readonly pageToken?: string | undefined },
  ): PageRequest {
    const { pageSize: size, pageToken } = query;
    if (pageToken === undefined || pageToken === '') {
      return { size, after: undefined };
    }
    const [payload = '', mac = ''] = pageToken.split('.');
    if (!this.keys.macFits('page-token', payload + JSON.stringify(scope), mac)) {
      throw new DomainError('invalid', 'PAGE_TOKEN_INVALID', '');
    }
    return { size, after: JSON.parse(Buffer.from(payload, 'base64url').toString()) as string[] };
  }

  write<T>(scope: readonly unknown[], page: Page<T>): { items: T[]; nextPageToken: string } {
    const items = [...page.items];
    if (page.next === undefined) {
      return { items, nextPageToken: '' };
    }
    const payload = Buffer.from(JSON.stringify(page.next)).toString('base64url');
    return {
      items,
      nextPageToken: `${payload}.${this.keys.mac('page-token', payload + JSON.stringify(scope))}`,
    };
  }
}
