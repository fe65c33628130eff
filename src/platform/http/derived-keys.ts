import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Keys of the HTTP door, each derived from SECRETS_KEY for one purpose. All replicas derive the same ones. */
export class DerivedKeys {
  private readonly secret: Buffer;

  constructor(secretsKeyBase64: string) {
    this.secret = Buffer.from(secretsKeyBase64, 'base64');
  }

  /** base64url of an HMAC-SHA256, cut to 16 bytes. */
  mac(purpose: string, text: string): string {
    return createHmac('sha256', this.key(purpose))
      .update(text)
      .digest()
      .subarray(0, 16)
      .toString('base64url');
  }

  macFits(purpose: string, text: string, mac: string): boolean {
    const expected = Buffer.from(this.mac(purpose, text));
    const given = Buffer.from(mac);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  /** AES-256-GCM: nonce, tag and ciphertext in one base64url text. */
  seal(purpose: string, text: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.key(purpose), nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Throws when the text was not sealed by us for this purpose. */
  open(purpose: string, sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.key(purpose), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  }

  private key(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.secret, '', `quorate/http/${purpose}`, 32));
  }
}
