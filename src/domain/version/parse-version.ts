/** Versions are semver with an optional leading v on input, stored without it; build metadata never orders. */
import { SemVer } from 'semver';

const TOLERANT =
  /^v?(0|[1-9]\d{0,8})(?:\.(0|[1-9]\d{0,8}))?(?:\.(0|[1-9]\d{0,8}))?(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** What was written, judged as a version. `full` is false for v1.7, which is legible but names no release. */
export interface ReadVersion {
  /** Without the leading v, otherwise as written: 1.30 stays 1.30. */
  readonly text: string;
  readonly full: boolean;
  readonly semver: SemVer;
}

/** Undefined when the text is no version at all. */
export function readVersion(written: string): ReadVersion | undefined {
  const found = TOLERANT.exec(written);
  if (found === null || written.length > 128) {
    return undefined;
  }
  const [, major = '0', minor, patch, prerelease = '', build = ''] = found;
  const full = minor !== undefined && patch !== undefined;
  try {
    const semver = new SemVer(`${major}.${minor ?? '0'}.${patch ?? '0'}${prerelease}${build}`);
    return { text: written.replace(/^v/, ''), full, semver };
  } catch {
    // semver refuses what the pattern lets through, such as a numeric pre-release part with a leading zero.
    return undefined;
  }
}

/** Negative, zero or positive. Throws TypeError when either is no version: callers compare what was accepted before. */
export function compareVersions(a: string, b: string): number {
  return mustRead(a).semver.compare(mustRead(b).semver);
}

/** Equal but for the leading v and build metadata. */
export function sameVersion(a: string, b: string): boolean {
  return compareVersions(a, b) === 0;
}

export function isPrerelease(version: string): boolean {
  return mustRead(version).semver.prerelease.length > 0;
}

/** `1.13` of 1.13.4. */
export function minorOf(version: string): string {
  const { major, minor } = mustRead(version).semver;
  return `${major}.${minor}`;
}

/** How many minors b is above a; undefined across majors. */
export function minorsUp(a: string, b: string): number | undefined {
  const from = mustRead(a).semver;
  const to = mustRead(b).semver;
  return from.major === to.major ? to.minor - from.minor : undefined;
}

function mustRead(version: string): ReadVersion {
  const read = readVersion(version);
  if (read === undefined) {
    throw new TypeError(`not a version: ${version}`);
  }
  return read;
}
