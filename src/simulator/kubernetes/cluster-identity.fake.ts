/** A cluster CA and client certificates, for tests of the Kubernetes API. */
import 'reflect-metadata'; // @peculiar/x509 throws without it
import { randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export interface FakeIdentity {
  readonly certPem: string;
  readonly keyPem: string;
}

export class FakeClusterCa {
  private constructor(
    private readonly certificate: x509.X509Certificate,
    private readonly keys: webcrypto.CryptoKeyPair,
    readonly keyPem: string,
  ) {}

  get certPem(): string {
    return this.certificate.toString('pem');
  }

  static async create(): Promise<FakeClusterCa> {
    const keys = await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: randomBytes(15).toString('hex'),
      name: new x509.Name([{ O: ['kubernetes'] }]),
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + 86_400_000),
      signingAlgorithm: ECDSA,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(
          x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature,
          true,
        ),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new FakeClusterCa(certificate, keys, await exportKey(keys));
  }

  async client(name: string, groups: readonly string[]): Promise<FakeIdentity> {
    const keys = await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: randomBytes(15).toString('hex'),
      issuer: this.certificate.subjectName,
      subject: new x509.Name([...groups.map((group) => ({ O: [group] })), { CN: [name] }]),
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + 3_600_000),
      signingKey: this.keys.privateKey,
      publicKey: keys.publicKey,
      signingAlgorithm: ECDSA,
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
      ],
    });
    return { certPem: certificate.toString('pem'), keyPem: await exportKey(keys) };
  }
}

async function exportKey(keys: webcrypto.CryptoKeyPair): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
}
