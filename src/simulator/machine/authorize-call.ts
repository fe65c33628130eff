/** Who may call what: the roles in the client certificate's organizations, or what maintenance mode allows. */
import { status, type Metadata } from '@grpc/grpc-js';
import type { PeerCertificate } from 'node:tls';
import { TalosError, unimplemented } from './talos-error';

const READERS = ['os:admin', 'os:operator', 'os:reader'];
const OPERATORS = ['os:admin', 'os:operator'];
const BACKUP = [...READERS, 'os:etcd:backup'];

/** What is not listed needs os:admin. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  Version: READERS,
  Hostname: READERS,
  ServiceList: READERS,
  Get: READERS,
  List: READERS,
  EtcdMemberList: BACKUP,
  EtcdStatus: BACKUP,
  EtcdAlarmList: BACKUP,
  EtcdSnapshot: ['os:admin', 'os:operator', 'os:etcd:backup'],
  Reboot: OPERATORS,
  Shutdown: OPERATORS,
};

/** In maintenance mode up to 1.12 nothing else exists. */
const OLD_MAINTENANCE = ['ApplyConfiguration', 'Get', 'List'];

export type Caller =
  | { readonly kind: 'maintenance' }
  | { readonly kind: 'certificate'; readonly roles: readonly string[] };

export function callerOf(certificate: PeerCertificate | undefined, metadata: Metadata): Caller {
  const organizations = [(certificate?.subject as { O?: string | string[] } | undefined)?.O ?? []].flat();
  const asserted = metadata.get('talos-role').map(String);
  const impersonates = organizations.includes('os:impersonator') && asserted.length > 0;
  return { kind: 'certificate', roles: impersonates ? asserted : organizations };
}

export function authorizeCall(caller: Caller, method: string, talosMinor: number): void {
  if (caller.kind === 'maintenance') {
    if (talosMinor <= 12) {
      if (OLD_MAINTENANCE.includes(method)) {
        return;
      }
      throw unimplemented('API is not implemented in maintenance mode');
    }
    if (method === 'ApplyConfiguration') {
      return;
    }
  }
  const roles = caller.kind === 'maintenance' ? ['os:reader'] : caller.roles;
  const allowed = ALLOWED[method] ?? ['os:admin'];
  if (!roles.some((role) => allowed.includes(role))) {
    throw new TalosError(status.PERMISSION_DENIED, 'not authorized');
  }
}

export function isAdmin(caller: Caller): boolean {
  return caller.kind === 'certificate' && caller.roles.includes('os:admin');
}
