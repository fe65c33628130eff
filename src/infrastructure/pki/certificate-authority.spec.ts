import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import { CertificateAuthority, type LeafRequest } from './certificate-authority';
import { exportKeyPem, generateKeyPair, type KeyKind } from './key-pairs';
import { toStandardLabel, toTalosLabel } from './pem-labels';
import { x509 } from './webcrypto';

const now = new Date();
const day = 24 * 3_600_000;

async function newCa(kind: KeyKind, organization?: string) {
  const pair = await CertificateAuthority.create({
    kind,
    now,
    ...(organization === undefined ? {} : { organization }),
  });
  return { pair, ca: await CertificateAuthority.load(pair) };
}

/** Undefined when this machine has no openssl. */
function openssl(...args: string[]): string | undefined {
  try {
    return execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      process.stderr.write('openssl is not on PATH: its second opinion is missing\n');
      return undefined;
    }
    throw error;
  }
}

describe.each<[KeyKind, string]>([
  ['ed25519', '-----BEGIN ED25519 PRIVATE KEY-----'],
  ['p256', '-----BEGIN EC PRIVATE KEY-----'],
])('a CA with a %s key', (kind, label) => {
  it('is a critical, self-signed CA with the key label that Talos expects', async () => {
    const { pair } = await newCa(kind, 'talos');
    const certificate = new X509Certificate(pair.crt);
    expect(certificate.ca).toBe(true);
    expect(certificate.subject).toBe('O=talos');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(toStandardLabel(pair.key)))).toBe(true);
    expect(pair.key.startsWith(label)).toBe(true);
    expect([pair.crt.endsWith('-----\n'), pair.key.endsWith('-----\n')]).toEqual([true, true]);
    expect(Math.round((Date.parse(certificate.validTo) - now.getTime()) / day)).toBe(3650);
  });

  it('issues leaves that Node and openssl accept', async () => {
    const { pair, ca } = await newCa(kind, 'talos');
    const leaf = await ca.issue({
      commonName: 'node',
      dnsNames: ['localhost'],
      ipAddresses: ['127.0.0.1', '::1'],
      usage: 'server',
      now,
      ttlMs: day,
    });
    const certificate = new X509Certificate(leaf.crt);
    expect(certificate.checkIssued(new X509Certificate(pair.crt))).toBe(true);
    expect([certificate.checkIP('127.0.0.1'), certificate.checkHost('localhost')]).toEqual([
      '127.0.0.1',
      'localhost',
    ]);
    expect(certificate.toString()).toBe(leaf.crt);
    createSecureContext({ cert: leaf.crt, key: toStandardLabel(leaf.key), ca: pair.crt });

    const dir = mkdtempSync(path.join(tmpdir(), 'quorate-pki-'));
    writeFileSync(path.join(dir, 'ca.pem'), pair.crt);
    writeFileSync(path.join(dir, 'leaf.pem'), leaf.crt);
    const verdict = openssl(
      'verify',
      '-x509_strict',
      '-purpose',
      'sslserver',
      '-CAfile',
      path.join(dir, 'ca.pem'),
      path.join(dir, 'leaf.pem'),
    );
    rmSync(dir, { recursive: true });
    expect(verdict ?? 'leaf.pem: OK').toContain('leaf.pem: OK');
  });

  it('signs a CSR but takes no name from it', async () => {
    const { pair, ca } = await newCa(kind);
    const keys = await generateKeyPair('ed25519');
    const csr = await x509.Pkcs10CertificateRequestGenerator.create({
      name: 'CN=root,O=os:admin',
      keys,
      signingAlgorithm: { name: 'Ed25519' },
    });
    const crt = new X509Certificate(
      await ca.signCsr(csr.toString('pem'), { commonName: 'agent-1', usage: 'client', now, ttlMs: day }),
    );
    expect(crt.subject).toBe('CN=agent-1');
    expect(crt.verify(new X509Certificate(pair.crt).publicKey)).toBe(true);
    expect(crt.checkPrivateKey(createPrivateKey(toStandardLabel(await exportKeyPem(keys))))).toBe(true);
  });
});

describe('leaf certificates', () => {
  const client: LeafRequest = { organizations: ['os:reader', 'os:admin'], usage: 'client', now, ttlMs: day };

  it('carry exactly clientAuth, all roles in one component, and were valid a moment ago', async () => {
    const { ca } = await newCa('ed25519', 'talos');
    const leaf = new x509.X509Certificate((await ca.issue(client)).crt);
    expect(leaf.getExtension(x509.ExtendedKeyUsageExtension)?.usages).toEqual([
      x509.ExtendedKeyUsage.clientAuth,
    ]);
    expect(leaf.subjectName.toJSON()).toEqual([{ O: ['os:admin', 'os:reader'] }]);
    expect(leaf.getExtension(x509.KeyUsagesExtension)).toMatchObject({
      critical: true,
      usages: x509.KeyUsageFlags.digitalSignature,
    });
    expect(leaf.getExtension(x509.BasicConstraintsExtension)).toBeNull();
    expect(leaf.notBefore.getTime()).toBeLessThan(now.getTime());
  });

  it('point at the key identifier of their issuer', async () => {
    const { pair, ca } = await newCa('p256', 'kubernetes');
    const leaf = new x509.X509Certificate((await ca.issue(client)).crt);
    const issuer = new x509.X509Certificate(pair.crt).getExtension(x509.SubjectKeyIdentifierExtension);
    expect(leaf.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId).toBe(issuer?.keyId);
  });

  it('have serial numbers that never repeat and are positive', async () => {
    const { ca } = await newCa('p256');
    const serials = await Promise.all(
      Array.from({ length: 20 }, async () => new X509Certificate((await ca.issue(client)).crt).serialNumber),
    );
    expect(new Set(serials).size).toBe(20);
    expect(serials.every((s) => s.length === 32 && parseInt(s.charAt(0), 16) < 8)).toBe(true);
  });
});

it('relabels only Ed25519 keys', async () => {
  const ed25519 = await exportKeyPem(await generateKeyPair('ed25519'));
  const sec1 = await exportKeyPem(await generateKeyPair('p256'));
  expect(toTalosLabel(toStandardLabel(ed25519))).toBe(ed25519);
  expect(toStandardLabel(sec1)).toBe(sec1);
  expect(() => createPrivateKey(ed25519)).toThrow();
});
