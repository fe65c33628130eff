/** Does this Talos run this Kubernetes? Ranges are per Talos minor; Kubernetes patch releases are not catalogued. */
import { findMinor, type KubernetesRange } from '../releases/release';
import { compareVersions, minorOf, readVersion, type ReadVersion } from './parse-version';
import {
  KUBERNETES_PATH,
  type VersionContext,
  type VersionFindings,
  type VersionPair,
} from './version-verdict';

/** No Kubernetes minor ever had as many patch releases; x.y.99 is a bound in tables, not a release. */
const IMPLAUSIBLE_PATCH = 40;

export function judgeKubernetesVersion(
  pair: VersionPair,
  context: VersionContext,
  findings: VersionFindings,
): boolean {
  const read = readRelease(pair.kubernetesVersion, findings);
  if (read === undefined) {
    return false;
  }
  if (read.semver.prerelease.length > 0 && !context.policy.allowPrereleases) {
    const reason = `Kubernetes ${read.text} is a pre-release.`;
    const remedy = `Use a release of Kubernetes ${minorOf(read.text)} or older.`;
    if (context.managed) {
      findings.refuse(KUBERNETES_PATH, 'KUBERNETES_PRERELEASE', reason, remedy);
      return false;
    }
    findings.warn(KUBERNETES_PATH, 'KUBERNETES_PRERELEASE', reason, remedy);
  }
  return judgeRange(read.text, pair.talosVersion, context, findings);
}

function readRelease(written: string, findings: VersionFindings): ReadVersion | undefined {
  const read = readVersion(written);
  if (read === undefined) {
    const reason = `"${written.slice(0, 80)}" is not a version.`;
    findings.refuse(KUBERNETES_PATH, 'VERSION_SYNTAX', reason, 'Write major.minor.patch.');
    return undefined;
  }
  if (!read.full || read.semver.patch >= IMPLAUSIBLE_PATCH) {
    const reason = `There is no Kubernetes release ${read.text}.`;
    const remedy = read.full ? 'Use a published patch release.' : `Add the patch, such as ${read.text}.0.`;
    findings.refuse(KUBERNETES_PATH, 'KUBERNETES_UNKNOWN', reason, remedy);
    return undefined;
  }
  return read;
}

function judgeRange(
  kubernetesVersion: string,
  talosVersion: string,
  context: VersionContext,
  findings: VersionFindings,
): boolean {
  const range = kubernetesRange(talosVersion, context);
  if (range === undefined) {
    // The Talos version has its own refusal.
    return true;
  }
  const minor = minorOf(kubernetesVersion);
  const tooNew = compareVersions(minor, range.max) > 0;
  if (tooNew || compareVersions(minor, range.min) < 0) {
    const reason =
      `Kubernetes ${kubernetesVersion} is too ${tooNew ? 'new' : 'old'} for Talos ${talosVersion.replace(/^v/, '')}, ` +
      `which runs Kubernetes ${range.min} to ${range.max}.`;
    findings.refuse(
      KUBERNETES_PATH,
      'KUBERNETES_UNSUPPORTED',
      reason,
      `Choose a version of ${range.min} to ${range.max}.`,
    );
    return false;
  }
  return judgeDocumented(minor, range, context, findings);
}

/** What the node accepts beyond its documentation: nothing to build a managed control plane on. */
function judgeDocumented(
  minor: string,
  { documentedMin, max }: KubernetesRange,
  context: VersionContext,
  findings: VersionFindings,
): boolean {
  if (documentedMin === undefined || compareVersions(minor, documentedMin) >= 0) {
    return true;
  }
  const reason = `The documentation of this Talos supports Kubernetes ${documentedMin} to ${max}, not ${minor}.`;
  const remedy = `Choose a version of ${documentedMin} to ${max}.`;
  if (context.managed) {
    findings.refuse(KUBERNETES_PATH, 'KUBERNETES_UNSUPPORTED', reason, remedy);
    return false;
  }
  findings.warn(KUBERNETES_PATH, 'KUBERNETES_UNSUPPORTED', reason, remedy);
  return true;
}

export function kubernetesRange(
  talosVersion: string,
  { catalogue }: VersionContext,
): KubernetesRange | undefined {
  return readVersion(talosVersion) === undefined ? undefined : findMinor(catalogue, talosVersion)?.kubernetes;
}
