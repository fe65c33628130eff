/** How members of a cluster describe themselves to each other so that the discovery service cannot read it. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

export interface Affiliate {
  readonly nodeId: string;
  readonly addresses: readonly string[];
  readonly hostname: string;
  readonly nodename: string;
  readonly machineType: 'controlplane' | 'worker';
  readonly operatingSystem: string;
  /** Control planes only. */
  readonly apiServerPort?: number;
}

/** nonce, ciphertext, tag: AES-256-GCM under the cluster's secret. */
export function seal(affiliate: Affiliate, clusterSecret: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(clusterSecret, 'base64'), nonce);
  return Buffer.concat([nonce, cipher.update(encode(affiliate)), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined when another secret sealed it, or nobody did. */
export function unseal(data: Buffer, clusterSecret: string): Affiliate | undefined {
  if (data.length < 28) {
    return undefined;
  }
  try {
    const decipher = createDecipheriv(
      'aes-256-gcm',
      Buffer.from(clusterSecret, 'base64'),
      data.subarray(0, 12),
    );
    decipher.setAuthTag(data.subarray(-16));
    return decode(Buffer.concat([decipher.update(data.subarray(12, -16)), decipher.final()]));
  } catch {
    return undefined;
  }
}

/** proto sidero.discovery.client.Affiliate. */
function encode(affiliate: Affiliate): Uint8Array {
  const writer = new BinaryWriter();
  writer.uint32(10).string(affiliate.nodeId);
  for (const address of affiliate.addresses) {
    if (isIP(address) === 4) {
      writer.uint32(18).bytes(Uint8Array.from(address.split('.').map(Number)));
    }
  }
  writer.uint32(26).string(affiliate.hostname);
  if (affiliate.nodename !== '') {
    writer.uint32(34).string(affiliate.nodename);
  }
  writer.uint32(42).string(affiliate.machineType);
  writer.uint32(50).string(affiliate.operatingSystem);
  if (affiliate.apiServerPort !== undefined) {
    writer.uint32(66).fork().uint32(8).uint32(affiliate.apiServerPort).join();
  }
  return writer.finish();
}

function decode(data: Uint8Array): Affiliate {
  const reader = new BinaryReader(data);
  const texts: Record<number, string> = {};
  const addresses: string[] = [];
  let apiServerPort: number | undefined;
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 2) {
      addresses.push([...reader.bytes()].join('.'));
    } else if (field === 8) {
      const end = reader.uint32() + reader.pos;
      while (reader.pos < end) {
        const [inner, innerType] = reader.tag();
        if (inner === 1) {
          apiServerPort = reader.uint32();
        } else {
          reader.skip(innerType);
        }
      }
    } else if ([1, 3, 4, 5, 6].includes(field)) {
      texts[field] = reader.string();
    } else {
      reader.skip(wireType);
    }
  }
  return {
    nodeId: texts[1] ?? '',
    addresses,
    hostname: texts[3] ?? '',
    nodename: texts[4] ?? '',
    machineType: texts[5] === 'controlplane' ? 'controlplane' : 'worker',
    operatingSystem: texts[6] ?? '',
    ...(apiServerPort === undefined ? {} : { apiServerPort }),
  };
}
