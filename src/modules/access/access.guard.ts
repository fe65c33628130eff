import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Principal, TenantRef } from '../../domain/access/principal';
import { decideAccess } from '../../domain/access/decide-access';
import { DomainError } from '../../domain/shared/errors';
import { setRequestContext } from '../../platform/http/request-context';
import { routeOf } from '../../platform/http/route';
import { TenantDirectory } from '../tenancy/tenant-directory';
import { bearerToken } from './api-token';
import { Authenticator } from './authenticator';

/** The one door check: reads the route's row of the access matrix. A handler without a row is not served under /api. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly tenants: TenantDirectory,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = routeOf(context.getHandler());
    if (route === undefined) {
      return !request.url.startsWith('/api');
    }
    if (route.access === 'public') {
      return true;
    }
    const principal = await this.authenticator.authenticate(bearerToken(request.headers.authorization));
    const tenant = await this.tenantOf(request, principal);
    const ownTenant = tenant?.id === principal.tenantId;
    const decision = decideAccess({ role: principal.role, ownTenant, access: route.access });
    // The same bytes whether the tenant exists or not.
    if (decision === 'hidden' || tenant === undefined) {
      throw new DomainError('not-found', 'TENANT_NOT_FOUND', '');
    }
    if (decision === 'forbidden') {
      throw new DomainError(
        'forbidden',
        'FORBIDDEN',
        `role ${principal.role} may not ${route.access.verb} ${route.access.resource}`,
      );
    }
    setRequestContext(request, { principal, tenant, requestId: request.id });
    return true;
  }

  /** A tenant's own token never makes us look for another tenant: not even the time it takes tells. */
  private async tenantOf(request: FastifyRequest, principal: Principal): Promise<TenantRef | undefined> {
    const { tenant: name } = (request.params ?? {}) as { readonly tenant?: string };
    if (name === undefined || name === principal.tenantName) {
      return { id: principal.tenantId, name: principal.tenantName };
    }
    return principal.isPlatform ? this.tenants.find(name) : undefined;
  }
}
