/** Certificates and keys stand in a machine config as base64 of the whole PEM text. */
import type { CertificateAndKey } from './secrets-bundle';

/** Standard base64 with padding. PEM is ASCII, so each character is one byte. */
export const base64Pem = (pem: string): string => btoa(pem);

export const keyPair = ({ crt, key }: CertificateAndKey): { crt: string; key: string } => ({
  crt: base64Pem(crt),
  key: base64Pem(key),
});
