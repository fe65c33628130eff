import { BinaryReader } from '@bufbuild/protobuf/wire';
import { createDecipheriv } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Numbers of `sidero.discovery.client.Affiliate`. */
const NODE_ID = 1;
const HOSTNAME = 3;

export interface AffiliateRecord {
  readonly nodeId?: string;
  readonly hostname?: string;
}

/**
 * What a machine published about itself: nonce, AES-256-GCM ciphertext, tag, under the cluster's secret. Anybody who
 * knows the cluster id can publish rubbish, so what does not open is an empty record and no error.
 */
export function openAffiliateRecord(data: Uint8Array, secret: string): AffiliateRecord {
  try {
    return decode(decrypt(data, Buffer.from(secret, 'base64')));
  } catch {
    return {};
  }
}

function decrypt(data: Uint8Array, key: Uint8Array): Uint8Array {
  const end = data.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(data.subarray(end));
  return Buffer.concat([decipher.update(data.subarray(NONCE_BYTES, end)), decipher.final()]);
}

function decode(plain: Uint8Array): AffiliateRecord {
  const reader = new BinaryReader(plain);
  const texts = new Map<number, string>();
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === NODE_ID || field === HOSTNAME) {
      texts.set(field, reader.string());
    } else {
      reader.skip(wireType);
    }
  }
  const [nodeId, hostname] = [texts.get(NODE_ID), texts.get(HOSTNAME)];
  return { ...(nodeId ? { nodeId } : {}), ...(hostname ? { hostname } : {}) };
}
