/** May a cluster go from one Talos version to another? One minor at a time, and down never when managed. */
import { findRelease, latestOfMinor, type ReleaseCatalogue } from '../releases/release';
import { compareVersions, isPrerelease, minorOf, minorsUp, sameVersion } from './parse-version';
import { TALOS_PATH, type VersionChange, type VersionContext, type VersionFindings } from './version-verdict';

export function judgeTalosStep(
  change: VersionChange,
  context: VersionContext,
  findings: VersionFindings,
): boolean {
  const from = change.from.talosVersion;
  const to = change.to.talosVersion;
  if (compareVersions(to, from) < 0) {
    return judgeDowngrade(change, context, findings);
  }
  const minors = minorsUp(from, to);
  if (minors === undefined || minors > 1) {
    const next = nextStop(from, context.catalogue);
    const remedy = next === undefined ? 'There is no supported way up.' : `Upgrade to v${next} first.`;
    const reason = `Talos is upgraded one minor at a time; ${from} to ${to} skips ${skipped(from, to)}.`;
    findings.refuse(TALOS_PATH, 'MINOR_SKIPPED', reason, remedy);
    return false;
  }
  warnOfEtcd(from, to, context.catalogue, findings);
  return true;
}

function judgeDowngrade(change: VersionChange, context: VersionContext, findings: VersionFindings): boolean {
  const from = change.from.talosVersion;
  const to = change.to.talosVersion;
  const refuse = (reason: string, remedy: string): false => {
    findings.refuse(TALOS_PATH, 'DOWNGRADE_REFUSED', reason, remedy);
    return false;
  };
  const step = `Talos ${from} to ${to}`;
  if (context.managed) {
    return refuse(`${step} is a downgrade; managed clusters never go down.`, `Stay on v${from}, or go up.`);
  }
  const aborts = change.upgradingFrom?.talosVersion;
  const isAbort = aborts !== undefined && sameVersion(aborts, to);
  const minors = minorsUp(from, to);
  if (minors === undefined || minors < -1) {
    return refuse(`${step} goes down more than one minor.`, 'Restore a backup into a new cluster instead.');
  }
  const { createdWithTalos } = change;
  if (createdWithTalos !== undefined && compareVersions(minorOf(to), minorOf(createdWithTalos)) < 0) {
    return refuse(
      `The cluster was created with Talos ${createdWithTalos}; ${to} cannot read its state.`,
      `Stay on ${minorOf(createdWithTalos)} or newer.`,
    );
  }
  if (!isAbort && change.allowDowngrade !== true) {
    return refuse(`${step} is a downgrade.`, 'Ask for it with allowDowngrade when you mean it.');
  }
  findings.warn(TALOS_PATH, 'DOWNGRADE', `${step} is a downgrade.`, 'Take a backup first.');
  return true;
}

/** The newest release of the next minor. */
export function nextStop(from: string, catalogue: ReleaseCatalogue): string | undefined {
  const own = minorOf(from);
  const above = catalogue.minors.find(({ minor }) => minorsUp(own, minor) === 1);
  return above && latestOfMinor(catalogue, above.minor)?.version;
}

function skipped(from: string, to: string): string {
  const [major = '', minor = '0'] = minorOf(from).split('.');
  const minors = minorsUp(from, to);
  if (minors === undefined) {
    return 'a major version';
  }
  const between = Array.from(
    { length: Math.min(minors - 1, 10) },
    (_, i) => `${major}.${Number(minor) + i + 1}`,
  );
  return between.join(', ');
}

/** etcd before 3.5.26 can leave zombie members behind on the way to 3.6. */
const SAFE_ETCD = '3.5.26';

function warnOfEtcd(from: string, to: string, catalogue: ReleaseCatalogue, findings: VersionFindings): void {
  const before = findRelease(catalogue, from)?.etcd;
  const after = findRelease(catalogue, to)?.etcd;
  if (before === undefined || after === undefined || isPrerelease(from)) {
    return;
  }
  if (compareVersions(before, SAFE_ETCD) < 0 && compareVersions(after, '3.6.0') >= 0) {
    const reason = `Talos ${from} runs etcd ${before}, which may leave zombie members when it goes to ${after}.`;
    findings.warn(TALOS_PATH, 'ETCD_ZOMBIE_MEMBERS', reason, 'Upgrade to v1.10.9 first.');
  }
}
