/** The API server's own certificate, issued by the cluster's CA at each start, as Talos does on a machine. */
import 'reflect-metadata'; // @peculiar/x509 throws without it
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const YEAR_MS = 365 * 86_400_000;

export const CLUSTER_SANS: readonly string[] = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  'localhost',
  '127.0.0.1',
  '10.96.0.1',
];

export interface ServingCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Reads PKCS#8 and the SEC1 form that Talos writes. */
function importEcKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' });
  return webcrypto.subtle.importKey('pkcs8', der, ECDSA, false, ['sign']);
}

function altNames(names: readonly string[]): x509.SubjectAlternativeNameExtension {
  const unique = [...new Set([...CLUSTER_SANS, ...names])];
  return new x509.SubjectAlternativeNameExtension(
    unique.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
  );
}

export async function issueServingCertificate(
  ca: { certPem: string; keyPem: string },
  names: readonly string[],
): Promise<ServingCertificate> {
  const issuer = new x509.X509Certificate(ca.certPem);
  const keys = await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
  const now = Date.now();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomBytes(15).toString('hex'),
    issuer: issuer.subjectName,
    subject: new x509.Name([{ O: ['kube-master'] }, { CN: ['kube-apiserver'] }]),
    notBefore: new Date(now - 10_000),
    notAfter: new Date(now + YEAR_MS),
    signingKey: await importEcKey(ca.keyPem),
    publicKey: keys.publicKey,
    signingAlgorithm: ECDSA,
    extensions: [
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment,
        true,
      ),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      altNames(names),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certPem: certificate.toString('pem'), keyPem: x509.PemConverter.encode(key, 'PRIVATE KEY') };
}
