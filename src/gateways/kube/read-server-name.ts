/** The server name (SNI) of a TLS ClientHello, without ending TLS. Layout: RFC 8446 section 4.1.2, RFC 6066 section 3. */

export type ServerName =
  | { readonly kind: 'name'; readonly host: string }
  | { readonly kind: 'more' }
  /** Not TLS, or a hello without a name. */
  | { readonly kind: 'none' };

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME_EXTENSION = 0;
const RECORD_HEADER = 5;
/** Larger hellos do not occur; smaller limits would refuse post-quantum key shares. */
export const MAX_HELLO_BYTES = 16 * 1024;

class Truncated extends Error {}

/** Reads big-endian numbers and length-prefixed fields; running over the end means that more bytes are to come. */
class Cursor {
  private at = 0;
  constructor(private readonly bytes: Buffer) {}

  get left(): number {
    return this.bytes.length - this.at;
  }
  take(length: number): Buffer {
    if (this.left < length) {
      throw new Truncated();
    }
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  number(size: 1 | 2 | 3): number {
    return this.take(size).readUIntBE(0, size);
  }
  rest(): Buffer {
    return this.take(this.left);
  }
  field(lengthSize: 1 | 2 | 3): Cursor {
    return new Cursor(this.take(this.number(lengthSize)));
  }
}

/** The handshake bytes of the leading TLS records; a hello may be cut into several. */
function handshakeBytes(received: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; at + RECORD_HEADER <= received.length; ) {
    if (received[at] !== HANDSHAKE_RECORD || received[at + 1] !== 3) {
      return parts.length > 0 ? Buffer.concat(parts) : undefined;
    }
    const end = at + RECORD_HEADER + received.readUInt16BE(at + 3);
    parts.push(received.subarray(at + RECORD_HEADER, end));
    at = end;
  }
  return Buffer.concat(parts);
}

export function readServerName(received: Buffer): ServerName {
  const first = received[0];
  if (first !== undefined && first !== HANDSHAKE_RECORD) {
    return { kind: 'none' };
  }
  const handshake = handshakeBytes(received);
  if (handshake === undefined) {
    return { kind: 'none' };
  }
  try {
    return parseHello(new Cursor(handshake));
  } catch (error) {
    if (error instanceof Truncated) {
      return received.length >= MAX_HELLO_BYTES ? { kind: 'none' } : { kind: 'more' };
    }
    throw error;
  }
}

function parseHello(handshake: Cursor): ServerName {
  if (handshake.number(1) !== CLIENT_HELLO) {
    return { kind: 'none' };
  }
  const hello = handshake.field(3);
  hello.take(2 + 32); // version, random
  hello.field(1); // session id
  hello.field(2); // cipher suites
  hello.field(1); // compression
  if (hello.left === 0) {
    return { kind: 'none' };
  }
  const extensions = hello.field(2);
  while (extensions.left > 0) {
    const type = extensions.number(2);
    const body = extensions.field(2);
    if (type === SERVER_NAME_EXTENSION) {
      const names = body.field(2);
      return names.number(1) === 0
        ? { kind: 'name', host: names.field(2).rest().toString('latin1').toLowerCase() }
        : { kind: 'none' };
    }
  }
  return { kind: 'none' };
}
