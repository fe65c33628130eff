import { createHash } from 'node:crypto';

/** SHA-256 of a rendered config, in hex. Rendering is deterministic, so equal hashes mean equal configs. */
export const configHash = (yaml: string): string => createHash('sha256').update(yaml, 'utf8').digest('hex');
