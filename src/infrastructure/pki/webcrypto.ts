/** @peculiar/x509 on Node's WebCrypto; everything of this folder takes the library from here. */
import 'reflect-metadata'; // must come before the library, which throws without it
import * as x509 from '@peculiar/x509';
import { webcrypto } from 'node:crypto';

x509.cryptoProvider.set(webcrypto);

export { x509 };
export type CryptoKey = webcrypto.CryptoKey;
export const { subtle } = webcrypto;
