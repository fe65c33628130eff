import { randomBytes } from 'node:crypto';
import type { CertificateAndKey } from '../../domain/machine-config/secrets-bundle';
import { exportKeyPem, generateKeyPair, importPrivateKey, signingAlgorithm, type KeyKind } from './key-pairs';
import { x509, type CryptoKey } from './webcrypto';

const HOUR = 3_600_000;
/** As Talos's own: ten years. */
const CA_VALIDITY_MS = 87_600 * HOUR;
/** Clocks of machines differ a little. */
const BACKDATE_MS = 60_000;

export interface CaRequest {
  readonly kind: KeyKind;
  /** Absent: empty subject, as the aggregator's CA has. */
  readonly organization?: string;
  readonly now: Date;
}

export interface LeafRequest {
  readonly commonName?: string;
  /** Roles or groups: all in one multi-valued name component, as Go writes them. */
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** For instance SPIFFE ids. */
  readonly uris?: readonly string[];
  /** Talos refuses a client certificate whose extended usage is anything but exactly clientAuth. */
  readonly usage: 'client' | 'server' | 'both';
  readonly now: Date;
  readonly ttlMs: number;
  /** Absent: the kind of the CA's key. */
  readonly kind?: KeyKind;
}

/** One issuing CA. Certificates are issued as Talos would: random serial, critical key usage, no basic constraints. */
export class CertificateAuthority {
  private constructor(
    readonly certificate: InstanceType<typeof x509.X509Certificate>,
    private readonly kind: KeyKind,
    private readonly privateKey: CryptoKey,
  ) {}

  /** A new self-signed CA, valid for ten years. */
  static async create({ kind, organization, now }: CaRequest): Promise<CertificateAndKey> {
    const keys = await generateKeyPair(kind);
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: randomSerial(),
      name: organization === undefined ? [] : [{ O: [organization] }],
      notBefore: now,
      notAfter: new Date(now.getTime() + CA_VALIDITY_MS),
      signingAlgorithm: signingAlgorithm(kind),
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(
          x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign,
          true,
        ),
        new x509.ExtendedKeyUsageExtension([
          x509.ExtendedKeyUsage.serverAuth,
          x509.ExtendedKeyUsage.clientAuth,
        ]),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return { crt: pemOf(certificate), key: await exportKeyPem(keys) };
  }

  static async load({ crt, key }: CertificateAndKey): Promise<CertificateAuthority> {
    const { kind, privateKey } = await importPrivateKey(key);
    return new CertificateAuthority(new x509.X509Certificate(crt), kind, privateKey);
  }

  /** A new key and its certificate. */
  async issue(request: LeafRequest): Promise<CertificateAndKey> {
    const keys = await generateKeyPair(request.kind ?? this.kind);
    return { crt: await this.certify(keys.publicKey, request), key: await exportKeyPem(keys) };
  }

  /**
   * A certificate for the key of a signing request. Names and usages come from `request` alone: what the applicant
   * wrote into the CSR is not trusted.
   * @throws Error when the CSR does not parse or is not signed by its own key.
   */
  async signCsr(csrPem: string, request: Omit<LeafRequest, 'kind'>): Promise<string> {
    const csr = new x509.Pkcs10CertificateRequest(csrPem);
    if (!(await csr.verify())) {
      throw new Error('the certificate signing request is not signed by its own key');
    }
    // The library's types name a global CryptoKey, which Node's do not declare.
    return this.certify((await csr.publicKey.export()) as CryptoKey, request);
  }

  private async certify(publicKey: CryptoKey, request: LeafRequest): Promise<string> {
    const { now, ttlMs } = request;
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: randomSerial(),
      subject: new x509.Name(subjectOf(request)),
      issuer: this.certificate.subjectName,
      notBefore: new Date(now.getTime() - BACKDATE_MS),
      notAfter: new Date(now.getTime() + ttlMs),
      signingKey: this.privateKey,
      publicKey,
      signingAlgorithm: signingAlgorithm(this.kind),
      extensions: [
        new x509.KeyUsagesExtension(keyUsage(publicKey), true),
        new x509.ExtendedKeyUsageExtension(extendedUsage(request.usage)),
        ...alternativeNames(request),
        await this.authorityKeyIdentifier(),
      ],
    });
    return pemOf(certificate);
  }

  /** The issuer's own identifier when it has one: some CAs carry random ones. */
  private async authorityKeyIdentifier(): Promise<InstanceType<typeof x509.AuthorityKeyIdentifierExtension>> {
    const own = this.certificate.getExtension(x509.SubjectKeyIdentifierExtension);
    return own === null
      ? x509.AuthorityKeyIdentifierExtension.create(await this.certificate.publicKey.export())
      : new x509.AuthorityKeyIdentifierExtension(own.keyId);
  }
}

/** 127 random bits with the first byte not zero: always positive, never longer than 16 bytes. */
function randomSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

const pemOf = (certificate: InstanceType<typeof x509.X509Certificate>): string =>
  `${certificate.toString('pem').trimEnd()}\n`;

function subjectOf({ commonName, organizations = [] }: LeafRequest): { [type: string]: string[] }[] {
  return [
    ...(organizations.length > 0 ? [{ O: [...organizations].sort() }] : []),
    ...(commonName === undefined ? [] : [{ CN: [commonName] }]),
  ];
}

/** Ed25519 keys cannot encipher. */
function keyUsage(publicKey: CryptoKey): x509.KeyUsageFlags {
  const { digitalSignature, keyEncipherment } = x509.KeyUsageFlags;
  const both = (digitalSignature | keyEncipherment) as x509.KeyUsageFlags;
  return publicKey.algorithm.name === 'Ed25519' ? digitalSignature : both;
}

function extendedUsage(usage: LeafRequest['usage']): string[] {
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  return [...(usage === 'client' ? [] : [serverAuth]), ...(usage === 'server' ? [] : [clientAuth])];
}

function alternativeNames({
  dnsNames = [],
  ipAddresses = [],
  uris = [],
}: LeafRequest): InstanceType<typeof x509.Extension>[] {
  const names = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
  ];
  return names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)];
}
