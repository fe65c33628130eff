/** Which layout of the machine config a Talos version reads: its minor decides, patch releases never change it. */
import semver from 'semver';
import { DomainError } from '../shared/errors';

/** Oldest and newest minor of Talos 1.x whose layout is known. */
const OLDEST = 8;
const NEWEST = 14;

/** Minor of Talos 1.x, 8 to 14. */
export type TalosContract = number;

/** @throws DomainError `invalid` TALOS_VERSION_UNKNOWN outside of 1.8 .. 1.14. */
export function talosContract(talosVersion: string): TalosContract {
  const version = semver.parse(talosVersion);
  if (version === null || version.major !== 1 || version.minor < OLDEST || version.minor > NEWEST) {
    const message = `no machine config layout is known for Talos ${talosVersion}`;
    throw new DomainError('invalid', 'TALOS_VERSION_UNKNOWN', message, {
      help: `Use a Talos version from 1.${OLDEST} to 1.${NEWEST}.`,
    });
  }
  return version.minor;
}
