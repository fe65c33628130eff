/** May Kubernetes go from one version to another? At most one minor up; down only in the same minor and unmanaged. */
import { compareVersions, minorOf, minorsUp, sameVersion } from './parse-version';
import {
  KUBERNETES_PATH,
  type VersionChange,
  type VersionContext,
  type VersionFindings,
} from './version-verdict';

export function judgeKubernetesStep(
  change: VersionChange,
  context: VersionContext,
  findings: VersionFindings,
): boolean {
  const from = change.from.kubernetesVersion;
  const to = change.to.kubernetesVersion;
  const step = `Kubernetes ${from} to ${to}`;
  const refuse = (code: string, reason: string, remedy: string): false => {
    findings.refuse(KUBERNETES_PATH, code, reason, remedy);
    return false;
  };
  const minors = minorsUp(from, to);
  if (compareVersions(to, from) < 0) {
    const aborts = change.upgradingFrom?.kubernetesVersion;
    const isAbort = aborts !== undefined && sameVersion(aborts, to);
    if (context.managed) {
      return refuse(
        'DOWNGRADE_REFUSED',
        `${step} is a downgrade; managed clusters never go down.`,
        `Stay on ${from}, or go up.`,
      );
    }
    if (minors !== 0 && !isAbort) {
      const remedy = 'Only a running upgrade can be taken back, to exactly the version it came from.';
      return refuse('DOWNGRADE_REFUSED', `${step} goes down a minor.`, remedy);
    }
    findings.warn(KUBERNETES_PATH, 'DOWNGRADE', `${step} is a downgrade.`, 'Take a backup first.');
    return true;
  }
  if (minors === undefined || minors > 1) {
    const [major = '1', minor = '0'] = minorOf(from).split('.');
    const remedy = `Upgrade to a release of Kubernetes ${major}.${Number(minor) + 1} first.`;
    return refuse(
      'MINOR_SKIPPED',
      `Kubernetes is upgraded one minor at a time; ${from} to ${to} skips some.`,
      remedy,
    );
  }
  return true;
}
