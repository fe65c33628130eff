import { z } from 'zod';
import { Count, TenantParams, Time, timeOf } from '../../platform/http/names';
import { PageQuery, pageOf } from '../../platform/http/paging';
import { declareRoute } from '../../platform/http/route';
import type { EventRow } from './event.repository';

export const EventView = z
  .strictObject({
    id: z.string(),
    cluster: z.string().nullable(),
    type: z.string(),
    reason: z.string(),
    message: z.string(),
    count: Count,
    firstAt: Time,
    lastAt: Time,
  })
  .meta({ id: 'Event' });

export function presentEvent(row: EventRow): z.output<typeof EventView> {
  const { id, type, reason, message, count } = row;
  return {
    id,
    cluster: row.clusterName,
    type,
    reason,
    message,
    count,
    firstAt: timeOf(row.firstAt),
    lastAt: timeOf(row.lastAt),
  };
}

export const listEvents = declareRoute({
  id: 'listEvents',
  method: 'GET',
  path: 'tenants/{tenant}/events',
  tag: 'Operations',
  summary: 'Lists what happened, newest first; equal events are counted',
  access: { resource: 'event', verb: 'list' },
  params: TenantParams,
  query: z.strictObject({ ...PageQuery, cluster: z.string().max(253).optional() }),
  status: 200,
  response: pageOf(EventView),
});
