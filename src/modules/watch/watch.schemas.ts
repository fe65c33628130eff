import { z } from 'zod';
import { TenantParams } from '../../platform/http/names';
import { declareRoute } from '../../platform/http/route';
import { WATCHED_KINDS } from './watched-kinds';

const kinds = z
  .string()
  .max(200)
  .transform((text) => text.split(',').map((kind) => kind.trim()))
  .pipe(z.array(z.enum(WATCHED_KINDS)).min(1));

export const Frame = z
  .strictObject({
    type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
    kind: z.enum(WATCHED_KINDS).optional(),
    id: z.string().optional().describe('Id of the object; of a deleted one it is all that is left.'),
    object: z.unknown().optional().describe('The object as a GET shows it; of ERROR, a problem.'),
  })
  .meta({ id: 'WatchFrame' });
export type Frame = z.output<typeof Frame>;

export const watchChanges = declareRoute({
  id: 'watchChanges',
  method: 'GET',
  path: 'tenants/{tenant}/watch',
  tag: 'Operations',
  summary: 'Tells of changes as server-sent events',
  description:
    'Without Last-Event-ID it begins with all clusters and the newest operations as ADDED, then a BOOKMARK, then changes. ' +
    'The id of each frame resumes after it. A comment every 15 s keeps the connection; the server ends it after some minutes: resume.',
  access: { resource: 'change', verb: 'watch' },
  params: TenantParams,
  query: z.strictObject({
    kinds: kinds
      .optional()
      .describe(`Comma-separated: ${WATCHED_KINDS.join(', ')}. Absent = all that the role may list.`),
  }),
  status: 200,
  contentType: 'text/event-stream',
  response: Frame,
});
