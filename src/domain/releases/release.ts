/** What is known of a Talos release and of its minor, and the questions asked of a catalogue of them. */
import { compareVersions, isPrerelease, minorOf } from '../version/parse-version';

export interface TalosRelease {
  /** Without the leading v. */
  readonly version: string;
  /** YYYY-MM-DD. */
  readonly releasedOn: string;
  /** What `talosctl gen config` of that release would write. */
  readonly defaultKubernetes: string;
  readonly etcd: string;
  readonly withdrawn?: { readonly reason: string; readonly use: string };
  /** Known to hurt; allowed, and said. */
  readonly caution?: string;
}

export interface TalosMinor {
  /** `1.13`. */
  readonly minor: string;
  /** YYYY-MM-DD of x.y.0. */
  readonly releasedOn: string;
  readonly kubernetes: KubernetesRange;
}

/** Minors, both ends included. Nodes enforce min and max; the documentation may promise less. */
export interface KubernetesRange {
  readonly min: string;
  readonly max: string;
  readonly documentedMin?: string;
}

export interface ReleaseCatalogue {
  readonly releases: readonly TalosRelease[];
  readonly minors: readonly TalosMinor[];
}

export function findRelease(catalogue: ReleaseCatalogue, version: string): TalosRelease | undefined {
  return catalogue.releases.find((release) => compareVersions(release.version, version) === 0);
}

export function findMinor(catalogue: ReleaseCatalogue, version: string): TalosMinor | undefined {
  const minor = minorOf(version);
  return catalogue.minors.find((known) => known.minor === minor);
}

/** Newest release of a minor that may be chosen, pre-releases aside. */
export function latestOfMinor(catalogue: ReleaseCatalogue, minor: string): TalosRelease | undefined {
  return newest(catalogue.releases.filter((release) => minorOf(release.version) === minor));
}

export function latestRelease(catalogue: ReleaseCatalogue): TalosRelease | undefined {
  return newest(catalogue.releases);
}

function newest(releases: readonly TalosRelease[]): TalosRelease | undefined {
  return releases
    .filter((release) => release.withdrawn === undefined && !isPrerelease(release.version))
    .reduce<
      TalosRelease | undefined
    >((best, next) => (best === undefined || compareVersions(next.version, best.version) > 0 ? next : best), undefined);
}

/** Community support of a minor ends on the day the next minor is released. Undefined while none is. */
export function supportEndedOn(catalogue: ReleaseCatalogue, version: string): string | undefined {
  const own = minorOf(version);
  const later = catalogue.minors
    .filter(({ minor }) => compareVersions(minor, own) > 0)
    .sort((a, b) => compareVersions(a.minor, b.minor));
  return later[0]?.releasedOn;
}
