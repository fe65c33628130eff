import type { TenantRef } from '../../domain/access/principal';
import { API_PREFIX } from '../../platform/http/route';
import type { OperationRow } from './operation.repository';

/** Where to wait for a change that was only accepted. */
export function operationHeaders(tenant: TenantRef, operation: OperationRow): Record<string, string> {
  return {
    location: `/${API_PREFIX}/tenants/${tenant.name}/operations/${operation.id}`,
    'operation-id': operation.id,
  };
}
