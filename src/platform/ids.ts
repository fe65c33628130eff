import { v7 } from 'uuid';

/** UUIDv7: sorts by time, so indexes stay warm; not a secret and not a sequence. */
export function newId(): string {
  return v7();
}
