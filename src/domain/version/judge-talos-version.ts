/** May a cluster be put on this Talos version at all? Minimum, pre-release, catalogue, withdrawal, support. */
import {
  findRelease,
  latestOfMinor,
  latestRelease,
  supportEndedOn,
  type TalosRelease,
} from '../releases/release';
import { compareVersions, minorOf, readVersion } from './parse-version';
import { TALOS_PATH, type VersionContext, type VersionFindings } from './version-verdict';

const DAY_MS = 24 * 3600 * 1000;

export interface TalosTarget {
  readonly version: string;
  /** The minimum for new clusters does not hold for a cluster that is older already. */
  readonly isNew: boolean;
}

/** True when nothing was refused, so that further rules may build on the version. */
export function judgeTalosVersion(
  target: TalosTarget,
  context: VersionContext,
  findings: VersionFindings,
): boolean {
  const read = readVersion(target.version);
  const refuse = (code: string, reason: string, remedy: string): false => {
    findings.refuse(TALOS_PATH, code, reason, remedy);
    return false;
  };
  if (read === undefined) {
    return refuse('VERSION_SYNTAX', `"${target.version.slice(0, 80)}" is not a version.`, offer(context));
  }
  if (!read.full) {
    return refuse(
      'TALOS_UNKNOWN',
      `${read.text} names no release: a release has three parts.`,
      offer(context, read.text),
    );
  }
  const minimum = minimumFor(target, context);
  if (minimum !== undefined && compareVersions(read.text, minimum) < 0) {
    const whose = context.managed ? 'Managed control planes need' : 'New clusters need';
    return refuse('TALOS_TOO_OLD', `${whose} Talos ${minimum} or newer, not ${read.text}.`, offer(context));
  }
  if (read.semver.prerelease.length > 0 && !context.policy.allowPrereleases) {
    return refuse('TALOS_PRERELEASE', `Talos ${read.text} is a pre-release.`, offer(context, read.text));
  }
  const release = findRelease(context.catalogue, read.text);
  if (release === undefined) {
    return refuse(
      'TALOS_UNKNOWN',
      `Talos ${read.text} is not in the release catalogue.`,
      offer(context, read.text),
    );
  }
  if (release.withdrawn !== undefined) {
    const { reason, use } = release.withdrawn;
    return refuse('TALOS_WITHDRAWN', `Talos ${release.version} was withdrawn: ${reason}.`, `Use ${use}.`);
  }
  if (context.policy.talosVersions?.some((version) => compareVersions(version, read.text) === 0) === false) {
    const offered = context.policy.talosVersions.join(', ');
    return refuse(
      'TALOS_NOT_OFFERED',
      `Talos ${read.text} is not offered here.`,
      `Offered: ${offered || 'none'}.`,
    );
  }
  return judgeCondition(release, context, findings);
}

function minimumFor({ isNew }: TalosTarget, { managed, policy }: VersionContext): string | undefined {
  return managed ? policy.managedMinimum : isNew ? policy.generalMinimum : undefined;
}

function judgeCondition(release: TalosRelease, context: VersionContext, findings: VersionFindings): boolean {
  if (release.caution !== undefined) {
    const reason = `Talos ${release.version} is known to hurt: ${release.caution}.`;
    findings.warn(TALOS_PATH, 'TALOS_CAUTION', reason, offer(context, release.version));
  }
  const endedOn = supportEndedOn(context.catalogue, release.version);
  const { supportGraceDays, endOfSupport } = context.policy;
  if (endedOn === undefined || context.now.getTime() < Date.parse(endedOn) + supportGraceDays * DAY_MS) {
    return true;
  }
  const reason = `Community support of Talos ${minorOf(release.version)} ended on ${endedOn}.`;
  const remedy = offer(context);
  if (endOfSupport === 'refuse') {
    findings.refuse(TALOS_PATH, 'TALOS_END_OF_SUPPORT', reason, remedy);
    return false;
  }
  findings.warn(TALOS_PATH, 'TALOS_END_OF_SUPPORT', reason, remedy);
  return true;
}

/** The release to use instead: the newest of the same minor when there is one, else the newest of all. */
function offer({ catalogue }: VersionContext, near?: string): string {
  const same = near === undefined ? undefined : latestOfMinor(catalogue, minorOf(near));
  const newest = latestRelease(catalogue);
  const named = [...new Set([same?.version, newest?.version])].filter((version) => version !== undefined);
  return named.length === 0
    ? 'The release catalogue is empty.'
    : `Use ${named.map((v) => `v${v}`).join(' or ')}.`;
}
