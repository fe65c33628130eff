import { createPrivateKey, type webcrypto } from 'node:crypto';
import { toStandardLabel, toTalosLabel } from './pem-labels';
import { subtle, type CryptoKey } from './webcrypto';

/** Talos's own CA is Ed25519, those of Kubernetes and etcd are ECDSA on P-256. */
export type KeyKind = 'ed25519' | 'p256';

export interface KeyPair {
  readonly kind: KeyKind;
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
}

const PARAMETERS = {
  ed25519: { name: 'Ed25519' },
  p256: { name: 'ECDSA', namedCurve: 'P-256' },
} as const;

/** What a key of this kind signs certificates with. */
export const signingAlgorithm = (kind: KeyKind): webcrypto.Algorithm =>
  kind === 'ed25519' ? { name: 'Ed25519' } : ({ name: 'ECDSA', hash: 'SHA-256' } as webcrypto.Algorithm);

export async function generateKeyPair(kind: KeyKind): Promise<KeyPair> {
  const pair = (await subtle.generateKey(PARAMETERS[kind], true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  return { kind, publicKey: pair.publicKey, privateKey: pair.privateKey };
}

/** As Talos writes it: Ed25519 in PKCS#8 under its own label, P-256 in SEC1. Ends with a newline. */
export async function exportKeyPem({ kind, privateKey }: KeyPair): Promise<string> {
  const key = createPrivateKey({
    key: Buffer.from(await subtle.exportKey('pkcs8', privateKey)),
    format: 'der',
    type: 'pkcs8',
  });
  return kind === 'ed25519'
    ? toTalosLabel(key.export({ type: 'pkcs8', format: 'pem' }).toString())
    : key.export({ type: 'sec1', format: 'pem' }).toString();
}

/** Reads what `exportKeyPem` writes, and plain PKCS#8. */
export async function importPrivateKey(pem: string): Promise<{ kind: KeyKind; privateKey: CryptoKey }> {
  const key = createPrivateKey(toStandardLabel(pem));
  const kind = kindOf(key.asymmetricKeyType);
  const der = key.export({ type: 'pkcs8', format: 'der' });
  return {
    kind,
    privateKey: await subtle.importKey('pkcs8', new Uint8Array(der), PARAMETERS[kind], true, ['sign']),
  };
}

function kindOf(type: string | undefined): KeyKind {
  switch (type) {
    case 'ed25519':
      return 'ed25519';
    case 'ec':
      return 'p256';
    default:
      throw new Error(`no certificate authority here has a key of type ${type ?? 'unknown'}`);
  }
}
