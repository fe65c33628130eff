/** Talos labels an Ed25519 key `ED25519 PRIVATE KEY` around ordinary PKCS#8, which OpenSSL (so Node) refuses to read. */

const TALOS = 'ED25519 PRIVATE KEY';
const STANDARD = 'PRIVATE KEY';

const relabel = (pem: string, from: string, to: string): string =>
  pem
    .replace(`-----BEGIN ${from}-----`, `-----BEGIN ${to}-----`)
    .replace(`-----END ${from}-----`, `-----END ${to}-----`);

/** For Node's TLS and crypto; other labels pass unchanged. */
export const toStandardLabel = (keyPem: string): string => relabel(keyPem, TALOS, STANDARD);

/** For machine configs and talosconfigs; the key must be Ed25519 in PKCS#8. */
export const toTalosLabel = (keyPem: string): string => relabel(keyPem, STANDARD, TALOS);
