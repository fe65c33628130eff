import { DomainError } from '../../domain/shared/errors';
import { DerivedKeys } from '../../platform/http/derived-keys';

const PURPOSE = 'watch-resume';

/**
 * The `id` of a frame. Sealed and bound to the tenant: the number behind it counts the changes of all tenants, and how
 * busy the others are is none of a tenant's business.
 */
export function writeResumeToken(keys: DerivedKeys, tenantId: string, seq: bigint): string {
  return keys.seal(PURPOSE, `${tenantId}:${seq.toString()}`);
}

export function readResumeToken(keys: DerivedKeys, tenantId: string, token: string): bigint {
  const [tenant, seq] = opened(keys, token).split(':');
  if (tenant !== tenantId || seq === undefined) {
    throw invalid();
  }
  return BigInt(seq);
}

function opened(keys: DerivedKeys, token: string): string {
  try {
    return keys.open(PURPOSE, token);
  } catch {
    throw invalid();
  }
}

const invalid = (): DomainError => new DomainError('invalid', 'RESUME_TOKEN_INVALID', '');
