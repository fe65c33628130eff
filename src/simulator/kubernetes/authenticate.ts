/** Who a request comes from: the subject of a client certificate that the cluster's CA signed, or nobody. */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { StatusError } from './status-error';

export interface KubeUser {
  readonly name: string;
  readonly groups: readonly string[];
}

export const MASTERS = 'system:masters';

function certificateUser(request: IncomingMessage): KubeUser {
  const socket = request.socket;
  if (!(socket instanceof TLSSocket) || !socket.authorized) {
    throw new StatusError('Unauthorized', 'Unauthorized');
  }
  const { subject } = socket.getPeerCertificate();
  // Typed as one string, but a subject with several organizations comes as a list.
  const organizations = (subject as { O?: string | string[] }).O ?? [];
  const groups = Array.isArray(organizations) ? organizations : [organizations];
  return { name: String(subject.CN ?? ''), groups: [...groups, 'system:authenticated'] };
}

const headerList = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : [value].flat().flatMap((v) => v.split(', '));

/** `--as` is honored or refused, never ignored: ignoring it would run the command as somebody else. */
export function authenticate(request: IncomingMessage): KubeUser {
  const user = certificateUser(request);
  const as = request.headers['impersonate-user'];
  const asGroups = headerList(request.headers['impersonate-group']);
  if (as === undefined && asGroups.length === 0) {
    return user;
  }
  if (!user.groups.includes(MASTERS) || typeof as !== 'string') {
    const message = `users "${String(as)}" is forbidden: User "${user.name}" cannot impersonate resource "users" in API group "" at the cluster scope`;
    throw new StatusError('Forbidden', message, { name: String(as), kind: 'users' });
  }
  return { name: as, groups: [...asGroups, 'system:authenticated'] };
}
