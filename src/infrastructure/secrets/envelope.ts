import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { DomainError } from '../../domain/shared/errors';

const FORMAT = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BOX_OVERHEAD = NONCE_BYTES + TAG_BYTES;
const WRAPPED_KEY_BYTES = KEY_BYTES + BOX_OVERHEAD;

/** The installation's key that wraps the data keys of secrets. */
export class WrappingKey {
  /** Says which key wrapped a secret, and nothing about the key itself. */
  readonly id: string;

  /** @param key 32 bytes. */
  constructor(private readonly key: Uint8Array) {
    if (key.length !== KEY_BYTES) {
      throw new Error(`a wrapping key has ${KEY_BYTES} bytes`);
    }
    this.id = createHash('sha256').update('quorate key id').update(key).digest('hex').slice(0, 16);
  }

  /**
   * AES-256-GCM under a random data key, which is itself wrapped. Bound to its row: an envelope that is copied into
   * another row does not open.
   */
  seal(rowId: string, plain: Uint8Array): Buffer {
    const dataKey = randomBytes(KEY_BYTES);
    const wrapped = sealBox(this.key, dataKey, this.context('key', rowId));
    const body = sealBox(dataKey, plain, this.context('data', rowId));
    dataKey.fill(0);
    return Buffer.concat([Buffer.of(FORMAT), wrapped, body]);
  }

  /** @throws DomainError `refused` SECRET_UNREADABLE when key, row or content do not belong together. */
  open(rowId: string, keyId: string, envelope: Uint8Array): Buffer {
    if (keyId !== this.id) {
      throw unreadable(`it was encrypted with the key ${keyId}, this process has ${this.id}`);
    }
    if (envelope[0] !== FORMAT || envelope.length < 1 + WRAPPED_KEY_BYTES + BOX_OVERHEAD) {
      throw unreadable('its format is not known');
    }
    try {
      const dataKey = openBox(
        this.key,
        envelope.subarray(1, 1 + WRAPPED_KEY_BYTES),
        this.context('key', rowId),
      );
      return openBox(dataKey, envelope.subarray(1 + WRAPPED_KEY_BYTES), this.context('data', rowId));
    } catch (error) {
      throw unreadable('it was changed, or belongs to another row', error);
    }
  }

  private context(part: 'key' | 'data', rowId: string): Buffer {
    return Buffer.from(`quorate/secret/${FORMAT}/${this.id}/${part}/${rowId}`);
  }
}

/** nonce, ciphertext, tag. */
function sealBox(key: Uint8Array, plain: Uint8Array, context: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function openBox(key: Uint8Array, box: Uint8Array, context: Uint8Array): Buffer {
  const end = box.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(context).setAuthTag(box.subarray(end));
  return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, end)), decipher.final()]);
}

function unreadable(why: string, cause?: unknown): DomainError {
  return new DomainError('refused', 'SECRET_UNREADABLE', `a secret cannot be read: ${why}`, {
    help: 'Check that SECRETS_KEY is the key with which this database was filled.',
    cause,
  });
}
