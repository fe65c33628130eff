/** The key and the certificate by which the server knows this agent. */
import 'reflect-metadata'; // must come before @peculiar/x509, which throws without it
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto);

const KEY = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** Certificates without a gap of at least this are renewed at the same moment that they are issued. */
const SHORTEST_RENEWAL_MS = 500;

export interface AgentIdentity {
  readonly keyPem: string;
  readonly certificatePem: string;
  /** As the server told it: trusted besides the file, so that a root can be exchanged. */
  readonly caPem: string;
  readonly agentId: string;
  readonly providerId: string;
}

export interface KeyWithRequest {
  readonly keyPem: string;
  readonly certificateRequestPem: string;
}

/** A new key each time; it never leaves this machine. */
export async function createCertificateRequest(agentName: string): Promise<KeyWithRequest> {
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [agentName] }],
    keys,
    signingAlgorithm: SIGNATURE,
  });
  const key = createPrivateKey({
    key: Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)),
    format: 'der',
    type: 'pkcs8',
  });
  return {
    keyPem: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    certificateRequestPem: request.toString('pem'),
  };
}

/** Why the server could not accept this identity, or undefined. */
export function identityProblem(identity: AgentIdentity, caPem: string, now: Date): string | undefined {
  try {
    const certificate = new X509Certificate(identity.certificatePem);
    if (!certificate.checkPrivateKey(createPrivateKey(identity.keyPem))) {
      return 'its key belongs to another certificate';
    }
    if (now.getTime() >= Date.parse(certificate.validTo)) {
      return 'its certificate has expired';
    }
    const roots = certificatesOf(caPem);
    if (!roots.some((root) => certificate.checkIssued(root) && certificate.verify(root.publicKey))) {
      return 'its certificate comes from another installation';
    }
    return undefined;
  } catch {
    return 'it cannot be read';
  }
}

/** Between 50 % and 70 % of the lifetime, so that agents that joined together do not renew together. */
export function renewalTime(certificatePem: string, now: Date, random: () => number = Math.random): Date {
  const certificate = new X509Certificate(certificatePem);
  const from = Date.parse(certificate.validFrom);
  const lifetime = Date.parse(certificate.validTo) - from;
  const at = from + lifetime * (0.5 + random() * 0.2);
  return new Date(Math.max(at, now.getTime() + SHORTEST_RENEWAL_MS));
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export function certificatesOf(pem: string): X509Certificate[] {
  return [...pem.matchAll(CERTIFICATE)].map(([text]) => new X509Certificate(text));
}
