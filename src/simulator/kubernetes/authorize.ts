/** What a user may do: masters everything, viewers read all but secrets, everybody ask about themselves. */
import { MASTERS, type KubeUser } from './authenticate';
import type { ResourceRequest } from './parse-request-path';
import { StatusError } from './status-error';

/** The read-only group of kubeconfigs that Quorate hands out. */
export const VIEWERS = 'quorate:viewers';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export interface AccessQuestion {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

const READS: readonly string[] = ['get', 'list', 'watch'];
const REVIEWS: readonly string[] = ['selfsubjectreviews', 'selfsubjectaccessreviews'];

export function isAllowed(user: KubeUser, question: AccessQuestion): boolean {
  if (user.groups.includes(MASTERS)) {
    return true;
  }
  if (question.verb === 'create' && REVIEWS.includes(question.resource)) {
    return true;
  }
  return user.groups.includes(VIEWERS) && READS.includes(question.verb) && question.resource !== 'secrets';
}

function where(request: ResourceRequest): string {
  return request.namespace === undefined ? 'at the cluster scope' : `in the namespace "${request.namespace}"`;
}

export function authorize(user: KubeUser, verb: Verb, request: ResourceRequest): void {
  const { group, plural } = request.kind;
  if (isAllowed(user, { verb, group, resource: plural })) {
    return;
  }
  const object = request.name === undefined ? plural : `${plural} "${request.name}"`;
  const what = `cannot ${verb} resource "${plural}" in API group "${group}" ${where(request)}`;
  throw new StatusError('Forbidden', `${object} is forbidden: User "${user.name}" ${what}`, {
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(group === '' ? {} : { group }),
    kind: plural,
  });
}
