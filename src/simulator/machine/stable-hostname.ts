/** The hostname that a Talos node gives itself when its config names none: the same for the same identity. */
import { createHash } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

export function stableHostname(nodeId: string): string {
  const digest = createHash('sha256').update(nodeId).digest();
  const letters = [...digest.subarray(0, 6)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
  return `talos-${letters.slice(0, 3)}-${letters.slice(3)}`;
}
