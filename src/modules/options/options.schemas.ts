import { z } from 'zod';
import { declareRoute } from '../../platform/http/route';

const Size = z.strictObject({
  name: z.string(),
  machines: z.int().min(1).max(5),
  cpus: z.int().min(1).max(1024),
  memoryBytes: z.int().min(0),
  diskBytes: z.int().min(0),
});

export const getOptions = declareRoute({
  id: 'getOptions',
  method: 'GET',
  path: 'options',
  tag: 'Options',
  summary: 'What this installation offers: sizes, versions, providers of managed control planes',
  access: { resource: 'options', verb: 'get' },
  status: 200,
  response: z
    .strictObject({
      managedControlPlanes: z.boolean(),
      providers: z.array(z.string()).describe('Aliases for ControlPlane.managed.provider.'),
      sizes: z.array(Size),
      talosVersions: z.array(
        z.strictObject({
          version: z.string(),
          kubernetes: z.strictObject({ min: z.string(), max: z.string() }),
        }),
      ),
    })
    .meta({ id: 'Options' }),
});
