/** Certificates that a Talos node makes for itself: throw-away ones in maintenance, later ones from the cluster's CA. */
import 'reflect-metadata'; // @peculiar/x509 needs it before its own import
import { createPrivateKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as never);

const DAY_MS = 24 * 3_600_000;
const ED25519 = { name: 'Ed25519' };

export interface KeyPairPem {
  readonly certPem: string;
  readonly keyPem: string;
}

/** OpenSSL does not know Talos's label; what is inside is ordinary PKCS#8. */
export function relabel(pem: string): string {
  return pem.replaceAll('ED25519 PRIVATE KEY', 'PRIVATE KEY');
}

/** Talos makes such a certificate at every boot into maintenance mode; nobody can verify it. */
export async function maintenanceCertificate(names: readonly string[]): Promise<KeyPairPem> {
  const keys = (await webcrypto.subtle.generateKey(ED25519, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomBytes(15).toString('hex'),
    subject: 'O=simulated talos maintenance',
    issuer: 'O=simulated talos maintenance',
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 365 * DAY_MS),
    publicKey: keys.publicKey as never,
    signingKey: keys.privateKey as never,
    signingAlgorithm: ED25519,
    extensions: serverExtensions(names),
  });
  return { certPem: certificate.toString('pem'), keyPem: await exportKey(keys.privateKey) };
}

export interface Issuer {
  readonly crt: string;
  readonly key: string;
}

/** The certificate of apid: 24 hours, server use only, as Talos issues it. */
export async function apidCertificate(
  ca: Issuer,
  commonName: string,
  names: readonly string[],
): Promise<KeyPairPem> {
  const keys = (await webcrypto.subtle.generateKey(ED25519, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  const { key, algorithm } = await importKey(ca.key);
  const issuer = new x509.X509Certificate(ca.crt);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomBytes(15).toString('hex'),
    subject: [{ CN: [commonName] }],
    issuer: issuer.subjectName,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + DAY_MS),
    publicKey: keys.publicKey as never,
    signingKey: key as never,
    signingAlgorithm: algorithm,
    extensions: serverExtensions(names),
  });
  return { certPem: certificate.toString('pem'), keyPem: await exportKey(keys.privateKey) };
}

function serverExtensions(names: readonly string[]): x509.Extension[] {
  const isAddress = (name: string): boolean => /^[\d.]+$|:/.test(name);
  const unique = [...new Set(names)];
  return [
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(
      unique.map((value) => ({ type: isAddress(value) ? ('ip' as const) : ('dns' as const), value })),
    ),
  ];
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({
    format: 'pem',
    type: 'pkcs8',
  }) as string;
}

type Algorithm = { name: string; hash?: string; namedCurve?: string };

/** Talos makes Ed25519 CAs; it accepts others since 1.10.3. */
async function importKey(pem: string): Promise<{ key: webcrypto.CryptoKey; algorithm: Algorithm }> {
  const parsed = createPrivateKey(relabel(pem));
  const der = parsed.export({ format: 'der', type: 'pkcs8' });
  const details = parsed.asymmetricKeyDetails;
  const algorithms: Record<string, Algorithm> = {
    ed25519: ED25519,
    ec: {
      name: 'ECDSA',
      namedCurve: details?.namedCurve === 'secp384r1' ? 'P-384' : 'P-256',
      hash: 'SHA-256',
    },
    rsa: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  };
  const algorithm = algorithms[parsed.asymmetricKeyType ?? ''];
  if (algorithm === undefined) {
    throw new Error(`a CA key of type ${parsed.asymmetricKeyType} cannot sign`);
  }
  return { key: await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']), algorithm };
}

/** Why the pair is not a usable CA, or undefined. Talos's bundle has CAs only. */
export function caProblem(crtPem: string, keyPem: string | undefined): string | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(crtPem);
  } catch {
    return 'failed to parse PEM block';
  }
  if (!certificate.ca) {
    return 'certificate is not a CA';
  }
  if (keyPem === undefined || keyPem === '') {
    return undefined;
  }
  try {
    return certificate.checkPrivateKey(createPrivateKey(relabel(keyPem)))
      ? undefined
      : 'key does not match certificate';
  } catch {
    return 'failed to parse private key';
  }
}

export function keyParses(pem: string): boolean {
  try {
    createPrivateKey(relabel(pem));
    return true;
  } catch {
    return false;
  }
}
