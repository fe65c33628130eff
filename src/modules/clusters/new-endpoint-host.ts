import { randomBytes } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Reserved before the first config, since certificates carry it; 80 random bits, so that names tell nothing and meet nowhere. */
export function newEndpointHost(clusterDomain: string): string {
  const label = [...randomBytes(16)].map((byte) => ALPHABET.charAt(byte % 32)).join('');
  return `${label}.${clusterDomain}`;
}
