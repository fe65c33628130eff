/** How each kind of object looks in a table. */
import type * as api from '../api/api-types';
import type { Shape } from './print-result';
import { bytes, relativeAge } from './relative-age';

type ListShape<T> = Shape<T> & { readonly none: string };
const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

export const clusterShape = (now: number): ListShape<api.Cluster> => ({
  noun: 'cluster',
  name: (c) => c.name,
  none: 'No clusters. Make one: quorate template sync -f FILE --wait',
  columns: [
    { title: 'NAME', cell: (c) => c.name },
    { title: 'STATE', cell: (c) => c.state },
    { title: 'CONTROL PLANE', cell: (c) => (c.managed ? `managed ${c.size ?? ''}` : 'own machines') },
    { title: 'TALOS', cell: (c) => c.talosVersion },
    { title: 'KUBERNETES', cell: (c) => c.kubernetesVersion },
    { title: 'AGE', cell: (c) => relativeAge(c.createdAt, now) },
  ],
});

export const clusterMachineShape = (now: number): ListShape<api.ClusterMachine> => ({
  noun: 'machine',
  name: (m) => m.name,
  none: 'No machines yet.',
  columns: [
    { title: 'NAME', cell: (m) => m.name },
    { title: 'SET', cell: (m) => m.set },
    { title: 'ROLE', cell: (m) => m.role },
    { title: 'STATE', cell: (m) => m.state },
    { title: 'READY', cell: (m) => yesNo(m.ready) },
    { title: 'TALOS', cell: (m) => m.talosVersion },
    { title: 'AGE', cell: (m) => relativeAge(m.createdAt, now) },
    { title: 'MESSAGE', cell: (m) => m.message },
  ],
});

export const operationShape = (now: number): ListShape<api.Operation> => ({
  noun: 'operation',
  name: (o) => o.id,
  none: 'No operations.',
  columns: [
    { title: 'ID', cell: (o) => o.id },
    { title: 'KIND', cell: (o) => o.kind },
    { title: 'CLUSTER', cell: (o) => o.cluster },
    { title: 'STATE', cell: (o) => o.state },
    { title: 'AGE', cell: (o) => relativeAge(o.createdAt, now) },
    { title: 'MESSAGE', cell: (o) => o.error?.message ?? o.message },
  ],
});

export const eventShape = (now: number): ListShape<api.Event> => ({
  noun: 'event',
  name: (e) => e.id,
  none: 'No events.',
  columns: [
    { title: 'LAST', cell: (e) => relativeAge(e.lastAt, now) },
    { title: 'TYPE', cell: (e) => e.type },
    { title: 'REASON', cell: (e) => e.reason },
    { title: 'CLUSTER', cell: (e) => e.cluster },
    { title: 'COUNT', cell: (e) => e.count },
    { title: 'MESSAGE', cell: (e) => e.message },
  ],
});

export const machineShape = (now: number): ListShape<api.Machine> => ({
  noun: 'machine',
  name: (m) => m.id,
  none: 'No machines of your own. Machines of managed control planes: quorate cluster machines NAME',
  columns: [
    { title: 'ID', cell: (m) => m.id },
    { title: 'HOSTNAME', cell: (m) => m.hostname },
    { title: 'PROVIDER', cell: (m) => m.provider },
    { title: 'CLUSTER', cell: (m) => m.cluster },
    { title: 'CONTACT', cell: (m) => m.contact },
    { title: 'STAGE', cell: (m) => m.stage },
    { title: 'TALOS', cell: (m) => m.talosVersion },
    { title: 'AGE', cell: (m) => relativeAge(m.firstSeenAt, now) },
  ],
});

export const machineClassShape = (now: number): ListShape<api.MachineClass> => ({
  noun: 'machine-class',
  name: (c) => c.name,
  none: 'No machine classes. Make one: quorate machine-class create NAME --provider NAME',
  columns: [
    { title: 'NAME', cell: (c) => c.name },
    { title: 'PROVIDER', cell: (c) => c.provider },
    { title: 'CPUS', cell: (c) => c.cpus },
    { title: 'MEMORY', cell: (c) => bytes(c.memoryBytes) },
    { title: 'DISK', cell: (c) => bytes(c.diskBytes) },
    { title: 'AGE', cell: (c) => relativeAge(c.createdAt, now) },
  ],
});

export const providerShape = (now: number): ListShape<api.Provider> => ({
  noun: 'provider',
  name: (p) => p.name,
  none: 'No providers of your own. Make one: quorate provider create NAME',
  columns: [
    { title: 'NAME', cell: (p) => p.name },
    { title: 'HEALTH', cell: (p) => p.health },
    { title: 'LAST HEARTBEAT', cell: (p) => relativeAge(p.lastHeartbeatAt, now) },
    { title: 'AGE', cell: (p) => relativeAge(p.createdAt, now) },
  ],
});

export const tenantShape = (now: number): ListShape<api.Tenant> => ({
  noun: 'tenant',
  name: (t) => t.name,
  none: 'No tenants.',
  columns: [
    { title: 'NAME', cell: (t) => t.name },
    { title: 'DISPLAY NAME', cell: (t) => t.displayName },
    { title: 'AGE', cell: (t) => relativeAge(t.createdAt, now) },
  ],
});

export const tokenShape = (now: number): ListShape<api.Token> => ({
  noun: 'token',
  name: (t) => t.name,
  none: 'No tokens.',
  columns: [
    { title: 'NAME', cell: (t) => t.name },
    { title: 'ROLE', cell: (t) => t.role },
    { title: 'STATE', cell: (t) => tokenState(t, now) },
    { title: 'EXPIRES', cell: (t) => t.expiresAt ?? 'never' },
    { title: 'LAST USED', cell: (t) => relativeAge(t.lastUsedAt, now) },
    { title: 'AGE', cell: (t) => relativeAge(t.createdAt, now) },
  ],
});

function tokenState({ revokedAt, expiresAt }: api.Token, now: number): string {
  if (revokedAt !== null) {
    return 'revoked';
  }
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'active';
}
