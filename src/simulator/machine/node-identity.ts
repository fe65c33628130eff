/** Who a node is: the identity that lives on STATE, and the hostname that follows from it when the config names none. */
import { createHash, randomBytes } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

export function stableHostname(nodeId: string): string {
  const digest = createHash('sha256').update(nodeId).digest();
  const letters = [...digest.subarray(0, 6)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
  return `talos-${letters.slice(0, 3)}-${letters.slice(3)}`;
}

/** base62 of 32 random bytes, as Talos writes its node identity. */
export function newNodeId(): string {
  let rest = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 62n) {
    text = BASE62.charAt(Number(rest % 62n)) + text;
  }
  return text;
}
