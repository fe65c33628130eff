import { z } from 'zod';
import { Name, PathName, TenantParams, Time, optionalTimeOf, timeOf } from '../../platform/http/names';
import { PageQuery, pageOf } from '../../platform/http/paging';
import { declareRoute } from '../../platform/http/route';
import type { MachineClassRow, MachineRow } from './machine.repository';

export const MachineView = z
  .strictObject({
    id: z.string().describe('UUID of the machine itself.'),
    provider: z.string(),
    cluster: z.string().nullable(),
    hostname: z.string().nullable(),
    contact: z.string().describe('configured, maintenance, unreachable, foreign or unknown.'),
    stage: z.string().nullable(),
    talosVersion: z.string().nullable(),
    firstSeenAt: Time,
    lastSeenAt: Time.nullable(),
    goneAt: Time.nullable(),
  })
  .meta({ id: 'Machine' });

export function presentMachine(row: MachineRow): z.output<typeof MachineView> {
  const { id, hostname, contact, stage, talosVersion } = row;
  return {
    id,
    provider: row.providerName,
    cluster: row.clusterName,
    hostname,
    contact,
    stage,
    talosVersion,
    firstSeenAt: timeOf(row.firstSeenAt),
    lastSeenAt: optionalTimeOf(row.lastSeenAt),
    goneAt: optionalTimeOf(row.goneAt),
  };
}

const GIB = 1024 ** 3;
const shape = {
  cpus: z.int().min(1).max(1024),
  memoryBytes: z
    .int()
    .min(GIB)
    .max(4096 * GIB),
  diskBytes: z
    .int()
    .min(GIB)
    .max(65_536 * GIB),
};

export const MachineClassView = z
  .strictObject({ name: z.string(), provider: z.string(), ...shape, createdAt: Time })
  .meta({ id: 'MachineClass' });

export function presentMachineClass(row: MachineClassRow): z.output<typeof MachineClassView> {
  const { cpus, memoryBytes, diskBytes } = row.shape;
  return {
    name: row.name,
    provider: row.providerName,
    cpus,
    memoryBytes,
    diskBytes,
    createdAt: timeOf(row.createdAt),
  };
}

export const listMachines = declareRoute({
  id: 'listMachines',
  method: 'GET',
  path: 'tenants/{tenant}/machines',
  tag: 'Machines',
  summary: "Lists the machines of the tenant's own providers",
  access: { resource: 'machine', verb: 'list' },
  params: TenantParams,
  query: z.strictObject(PageQuery),
  status: 200,
  response: pageOf(MachineView),
});

export const listMachineClasses = declareRoute({
  id: 'listMachineClasses',
  method: 'GET',
  path: 'tenants/{tenant}/machine-classes',
  tag: 'Machines',
  summary: 'Lists the machine classes by name',
  access: { resource: 'machine-class', verb: 'list' },
  params: TenantParams,
  query: z.strictObject(PageQuery),
  status: 200,
  response: pageOf(MachineClassView),
});

export const createMachineClass = declareRoute({
  id: 'createMachineClass',
  method: 'POST',
  path: 'tenants/{tenant}/machine-classes',
  tag: 'Machines',
  summary: 'Creates a machine class: a shape that one of the own providers makes',
  access: { resource: 'machine-class', verb: 'create' },
  params: TenantParams,
  body: z.strictObject({ name: Name, provider: Name.describe('One of the own providers.'), ...shape }),
  status: 201,
  response: MachineClassView,
});

export const deleteMachineClass = declareRoute({
  id: 'deleteMachineClass',
  method: 'DELETE',
  path: 'tenants/{tenant}/machine-classes/{name}',
  tag: 'Machines',
  summary: 'Deletes a machine class that no cluster uses',
  access: { resource: 'machine-class', verb: 'delete' },
  params: z.strictObject({ tenant: PathName, name: PathName }),
  status: 204,
});
