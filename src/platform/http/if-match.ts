import { DomainError } from '../../domain/shared/errors';
import { etagOf } from './answer';

/** RFC 9110: `*` or a list of tags, of which one must be the current one. */
export function refuseOtherVersion(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') {
    return;
  }
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes(etagOf(version))) {
    throw new DomainError('stale', 'VERSION_CONFLICT', 'the object has changed since it was read');
  }
}
