/** What an installation allows beyond the facts: minimum, pre-releases, support. Tiers and tenants only narrow it. */
import { compareVersions } from './parse-version';

export interface VersionPolicy {
  /** Lowest Talos of a managed cluster, without v. */
  readonly managedMinimum: string;
  /** Lowest Talos of a new cluster of the tenant's own machines, without v. */
  readonly generalMinimum: string;
  readonly allowPrereleases: boolean;
  /** What follows when the community no longer supports a Talos minor. */
  readonly endOfSupport: 'warn' | 'refuse';
  /** Days after the next minor's release in which the older one still counts as supported: its patches go on a while. */
  readonly supportGraceDays: number;
  /** When given, only these Talos versions may be chosen: how a tier or a tenant narrows the list. */
  readonly talosVersions?: readonly string[];
}

/**
 * About four months, the usual distance of two Talos minors: patches of a minor were still cut 100 days after its
 * successor came out.
 */
const GRACE_DAYS = 120;

export const DEFAULT_VERSION_POLICY: VersionPolicy = {
  managedMinimum: '1.8.1',
  generalMinimum: '1.8.0',
  allowPrereleases: false,
  endOfSupport: 'warn',
  supportGraceDays: GRACE_DAYS,
};

/** Policies of tier and tenant never allow what the wider one refuses. */
export function narrowPolicy(wide: VersionPolicy, narrow: Partial<VersionPolicy>): VersionPolicy {
  const talosVersions = intersection(wide.talosVersions, narrow.talosVersions);
  return {
    managedMinimum: higher(wide.managedMinimum, narrow.managedMinimum),
    generalMinimum: higher(wide.generalMinimum, narrow.generalMinimum),
    allowPrereleases: wide.allowPrereleases && (narrow.allowPrereleases ?? true),
    endOfSupport: wide.endOfSupport === 'refuse' ? 'refuse' : (narrow.endOfSupport ?? 'warn'),
    supportGraceDays: Math.min(wide.supportGraceDays, narrow.supportGraceDays ?? Number.POSITIVE_INFINITY),
    ...(talosVersions && { talosVersions }),
  };
}

const higher = (a: string, b: string | undefined): string =>
  b !== undefined && compareVersions(b, a) > 0 ? b : a;

function intersection(a?: readonly string[], b?: readonly string[]): readonly string[] | undefined {
  if (a === undefined || b === undefined) {
    return a ?? b;
  }
  return a.filter((version) => b.includes(version));
}
