import { actorOf, type RequestContext } from '../../platform/http/request-context';
import type { Invocation } from './invocation';

export function invocationOf({ tenant, principal, requestId }: RequestContext): Invocation {
  return { tenantId: tenant.id, actor: actorOf(principal), requestId };
}
