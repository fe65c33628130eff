import { latestOfMinor, supportEndedOn } from '../releases/release';
import { SHIPPED_RELEASES } from '../releases/shipped-releases';
import { checkChange, checkCreate, upgradeSteps } from './check-versions';
import { DEFAULT_VERSION_POLICY, narrowPolicy, type VersionPolicy } from './version-policy';
import type { VersionChange, VersionContext, VersionVerdict } from './version-verdict';

const context = (managed: boolean, policy: Partial<VersionPolicy> = {}): VersionContext => ({
  catalogue: SHIPPED_RELEASES,
  policy: { ...DEFAULT_VERSION_POLICY, ...policy },
  managed,
  now: new Date('2026-10-01T00:00:00Z'),
});
const said = ({ violations }: VersionVerdict): string =>
  violations.map(({ code }) => code).join(' ') || 'allowed';
const warned = ({ warnings }: VersionVerdict): string =>
  warnings.map(({ code }) => code).join(' ') || 'nothing';

describe('create', () => {
  test.each([
    // Talos, Kubernetes, managed, the tenant's own machines
    ['1.13.9', '1.36.3', 'allowed', 'allowed'],
    ['v1.14.0', 'v1.37.0', 'allowed', 'allowed'],
    ['1.8.2', '1.31.1', 'allowed', 'allowed'],
    ['1.8.1', '1.31.1', 'allowed', 'allowed'],
    ['1.8.0', '1.31.1', 'TALOS_TOO_OLD', 'allowed'],
    ['1.7.6', '1.30.0', 'TALOS_TOO_OLD', 'TALOS_TOO_OLD'],
    ['1.13.1', '1.36.0', 'TALOS_WITHDRAWN', 'TALOS_WITHDRAWN'],
    ['1.13.99', '1.36.0', 'TALOS_UNKNOWN', 'TALOS_UNKNOWN'],
    ['1.15.0', '1.37.0', 'TALOS_UNKNOWN', 'TALOS_UNKNOWN'],
    ['1.13', '1.36.0', 'TALOS_UNKNOWN', 'TALOS_UNKNOWN'],
    ['1.14.0-rc.1', '1.36.0', 'TALOS_PRERELEASE', 'TALOS_PRERELEASE'],
    ['latest', '1.36.0', 'VERSION_SYNTAX', 'VERSION_SYNTAX'],
    ['1.13.9', '1.37.0', 'KUBERNETES_UNSUPPORTED', 'KUBERNETES_UNSUPPORTED'],
    ['1.13.9', '1.30.14', 'KUBERNETES_UNSUPPORTED', 'KUBERNETES_UNSUPPORTED'],
    ['1.11.6', '1.35.0', 'KUBERNETES_UNSUPPORTED', 'KUBERNETES_UNSUPPORTED'],
    ['1.14.0', '1.32.0', 'KUBERNETES_UNSUPPORTED', 'allowed'],
    ['1.14.0', '1.31.0', 'KUBERNETES_UNSUPPORTED', 'KUBERNETES_UNSUPPORTED'],
    ['1.13.9', '1.36', 'KUBERNETES_UNKNOWN', 'KUBERNETES_UNKNOWN'],
    ['1.13.9', '1.36.99', 'KUBERNETES_UNKNOWN', 'KUBERNETES_UNKNOWN'],
    ['1.13.9', '1.36.0-rc.0', 'KUBERNETES_PRERELEASE', 'allowed'],
    ['1.13.9', 'stable', 'VERSION_SYNTAX', 'VERSION_SYNTAX'],
    [
      '1.8.0-beta.0',
      '1.99.0',
      'TALOS_TOO_OLD KUBERNETES_UNSUPPORTED',
      'TALOS_TOO_OLD KUBERNETES_UNSUPPORTED',
    ],
  ])(
    'Talos %s with Kubernetes %s: managed %s, own machines %s',
    (talosVersion, kubernetesVersion, managed, own) => {
      expect(said(checkCreate({ talosVersion, kubernetesVersion }, context(true)))).toBe(managed);
      expect(said(checkCreate({ talosVersion, kubernetesVersion }, context(false)))).toBe(own);
    },
  );

  test('pre-releases are all in or all out', () => {
    const pair = { talosVersion: '1.14.0-rc.1', kubernetesVersion: '1.37.0-rc.0' };
    expect(said(checkCreate(pair, context(true, { allowPrereleases: true })))).toBe('allowed');
  });

  test.each([
    ['1.8.4', 'warn', 'allowed', 'TALOS_END_OF_SUPPORT'],
    ['1.8.4', 'refuse', 'TALOS_END_OF_SUPPORT', 'nothing'],
    ['1.12.11', 'warn', 'allowed', 'TALOS_END_OF_SUPPORT'],
    // Its successor came out on 2026-09-03, less than 120 days before.
    ['1.13.9', 'refuse', 'allowed', 'nothing'],
    ['1.14.0', 'refuse', 'allowed', 'nothing'],
  ] as const)(
    'Talos %s past its support, policy %s: %s, warned of %s',
    (talosVersion, endOfSupport, verdict, warning) => {
      const kubernetesVersion = talosVersion === '1.8.4' ? '1.31.4' : '1.35.0';
      const found = checkCreate({ talosVersion, kubernetesVersion }, context(true, { endOfSupport }));
      expect([said(found), warned(found)]).toEqual([verdict, warning]);
    },
  );

  test('a refusal says what to use instead, and where the version was written', () => {
    const locate = (path: string) => ({
      file: 'demo.yaml',
      line: path.includes('talos') ? 6 : 4,
      column: 12,
    });
    const { violations } = checkCreate(
      { talosVersion: '1.13.1', kubernetesVersion: '1.36.99' },
      { ...context(true), locate },
    );
    expect(violations).toMatchObject([
      { code: 'TALOS_WITHDRAWN', file: 'demo.yaml', line: 6, remedy: 'Use 1.13.2.' },
      { code: 'KUBERNETES_UNKNOWN', line: 4, column: 12 },
    ]);
  });

  test('tiers and tenants only narrow the list', () => {
    const narrow = narrowPolicy(DEFAULT_VERSION_POLICY, {
      managedMinimum: '1.2.0',
      talosVersions: ['1.13.9'],
      allowPrereleases: true,
    });
    expect(narrow).toMatchObject({ managedMinimum: '1.8.1', allowPrereleases: false });
    const pair = { talosVersion: '1.13.8', kubernetesVersion: '1.36.0' };
    expect(said(checkCreate(pair, context(true, narrow)))).toBe('TALOS_NOT_OFFERED');
  });
});

describe('change of Talos', () => {
  const talos = (
    from: string,
    to: string,
    managed: boolean,
    more: Partial<VersionChange> = {},
  ): VersionVerdict => {
    const kubernetesVersion = more.from?.kubernetesVersion ?? '1.33.2';
    const pair = (talosVersion: string) => ({ talosVersion, kubernetesVersion });
    return checkChange({ ...more, from: pair(from), to: pair(to) }, context(managed));
  };

  test.each([
    // from, to, managed, own machines
    ['1.13.8', '1.13.9', 'allowed', 'allowed'],
    ['v1.13.8', '1.13.8', 'allowed', 'allowed'],
    ['1.12.11', '1.13.9', 'allowed', 'allowed'],
    ['1.13.0-rc.1', '1.13.9', 'allowed', 'allowed'],
    ['1.12.11', '1.13.1', 'TALOS_WITHDRAWN', 'TALOS_WITHDRAWN'],
    ['1.13.1', '1.13.2', 'allowed', 'allowed'],
    ['1.12.11', '1.13.99', 'TALOS_UNKNOWN', 'TALOS_UNKNOWN'],
    ['1.13.9', '1.14.0-rc.1', 'TALOS_PRERELEASE', 'TALOS_PRERELEASE'],
    ['1.11.6', '1.13.9', 'MINOR_SKIPPED', 'MINOR_SKIPPED'],
    ['1.13.9', '2.0.0', 'MINOR_SKIPPED', 'MINOR_SKIPPED'],
    ['1.13.9', '1.13.8', 'DOWNGRADE_REFUSED', 'DOWNGRADE_REFUSED'],
    ['1.13.9', '1.12.11', 'DOWNGRADE_REFUSED', 'DOWNGRADE_REFUSED'],
    ['1.13.9', 'latest', 'VERSION_SYNTAX', 'VERSION_SYNTAX'],
    ['', '1.13.9', 'VERSION_OBSERVED_UNKNOWN', 'VERSION_OBSERVED_UNKNOWN'],
  ])('%s to %s: managed %s, own machines %s', (from, to, managed, own) => {
    expect(said(talos(from, to, true))).toBe(managed);
    expect(said(talos(from, to, false))).toBe(own);
  });

  test.each([
    ['1.13.9', '1.13.8', {}, 'allowed'],
    ['1.13.9', '1.12.11', {}, 'allowed'],
    ['1.13.9', '1.11.6', {}, 'DOWNGRADE_REFUSED'],
    ['1.13.9', '1.12.11', { createdWithTalos: '1.13.0' }, 'DOWNGRADE_REFUSED'],
    ['1.13.9', '1.13.8', { createdWithTalos: '1.13.9' }, 'allowed'],
    ['1.13.2', '1.13.1', {}, 'TALOS_WITHDRAWN'],
  ])(
    'a downgrade from %s to %s that is asked for %j: own machines %s, managed never',
    (from, to, more, own) => {
      const asked = { allowDowngrade: true, ...more };
      expect(said(talos(from, to, false, asked))).toBe(own);
      expect(said(talos(from, to, true, asked))).toBe('DOWNGRADE_REFUSED');
    },
  );

  test('going back to where a running upgrade came from is an abort, except when managed', () => {
    const more = { upgradingFrom: { talosVersion: '1.12.11' } };
    expect(warned(talos('1.13.9', '1.12.11', false, more))).toContain('DOWNGRADE');
    expect(said(talos('1.13.9', '1.12.10', false, more))).toBe('DOWNGRADE_REFUSED');
    expect(said(talos('1.13.9', '1.12.11', true, more))).toBe('DOWNGRADE_REFUSED');
  });

  test('a skipped minor is named, and the next stop', () => {
    expect(talos('1.10.9', '1.13.9', true).violations).toMatchObject([
      { reason: expect.stringContaining('skips 1.11, 1.12'), remedy: 'Upgrade to v1.11.6 first.' },
    ]);
  });

  test('the running Kubernetes must be one that the new Talos runs', () => {
    const from = { talosVersion: '1.12.11', kubernetesVersion: '1.30.14' };
    const change = { from, to: { ...from, talosVersion: '1.13.9' } };
    expect(checkChange(change, context(true)).violations).toMatchObject([
      {
        code: 'KUBERNETES_UNSUPPORTED',
        path: 'Cluster.talos.version',
        remedy: expect.stringContaining('Upgrade Kubernetes first'),
      },
    ]);
  });

  test('an old etcd on the way to 3.6 is warned of', () => {
    expect(warned(talos('1.10.8', '1.11.6', true))).toContain('ETCD_ZOMBIE_MEMBERS');
    expect(warned(talos('1.10.9', '1.11.6', true))).not.toContain('ETCD_ZOMBIE_MEMBERS');
  });
});

describe('change of Kubernetes', () => {
  test.each([
    // from, to, managed, own machines; on Talos 1.13.9
    ['1.35.2', '1.36.0', 'allowed', 'allowed'],
    ['1.36.0', '1.36.3', 'allowed', 'allowed'],
    ['1.36.0', 'v1.36.0', 'allowed', 'allowed'],
    ['1.34.0', '1.36.0', 'MINOR_SKIPPED', 'MINOR_SKIPPED'],
    ['1.36.0', '1.37.0', 'KUBERNETES_UNSUPPORTED', 'KUBERNETES_UNSUPPORTED'],
    ['1.36.1', '1.36.0', 'DOWNGRADE_REFUSED', 'allowed'],
    ['1.36.0', '1.35.9', 'DOWNGRADE_REFUSED', 'DOWNGRADE_REFUSED'],
    ['1.36.0', '1.36.99', 'KUBERNETES_UNKNOWN', 'KUBERNETES_UNKNOWN'],
  ])('%s to %s: managed %s, own machines %s', (from, to, managed, own) => {
    const pair = (kubernetesVersion: string) => ({ talosVersion: '1.13.9', kubernetesVersion });
    const change = { from: pair(from), to: pair(to) };
    expect(said(checkChange(change, context(true)))).toBe(managed);
    expect(said(checkChange(change, context(false)))).toBe(own);
  });

  test('a running upgrade can be taken back to exactly where it came from', () => {
    const pair = (kubernetesVersion: string) => ({ talosVersion: '1.13.9', kubernetesVersion });
    const upgradingFrom = { kubernetesVersion: '1.35.0' };
    const back = (to: string, managed: boolean) =>
      said(checkChange({ from: pair('1.36.0'), to: pair(to), upgradingFrom }, context(managed)));
    expect([back('1.35.0', false), back('1.35.1', false), back('1.35.0', true)]).toEqual([
      'allowed',
      'DOWNGRADE_REFUSED',
      'DOWNGRADE_REFUSED',
    ]);
  });
});

describe('both at once', () => {
  test.each([
    ['1.12.11', '1.35.4', '1.13.9', '1.36.3', 'allowed'],
    ['1.12.11', '1.30.0', '1.13.9', '1.31.0', 'KUBERNETES_UNSUPPORTED'],
    ['1.12.11', '1.34.0', '1.13.9', '1.36.3', 'MINOR_SKIPPED'],
    ['1.11.6', '1.34.0', '1.13.9', '1.35.0', 'MINOR_SKIPPED'],
  ])('Talos %s, Kubernetes %s to %s, %s: %s', (fromTalos, fromKubernetes, toTalos, toKubernetes, verdict) => {
    const from = { talosVersion: fromTalos, kubernetesVersion: fromKubernetes };
    const to = { talosVersion: toTalos, kubernetesVersion: toKubernetes };
    expect(said(checkChange({ from, to }, context(true)))).toBe(verdict);
    expect(upgradeSteps(from, to)).toEqual(['talos', 'kubernetes']);
  });

  test('what does not change is not judged', () => {
    const pair = { talosVersion: '1.7.0', kubernetesVersion: '1.99.99' };
    expect(said(checkChange({ from: pair, to: pair }, context(true)))).toBe('allowed');
  });
});

test('the shipped catalogue holds together', () => {
  for (const { version, defaultKubernetes, releasedOn } of SHIPPED_RELEASES.releases) {
    expect(Number.isNaN(Date.parse(releasedOn))).toBe(false);
    const pair = { talosVersion: version, kubernetesVersion: defaultKubernetes };
    const lenient = context(false, { allowPrereleases: true });
    expect(said(checkCreate(pair, lenient))).toBe(version === '1.13.1' ? 'TALOS_WITHDRAWN' : 'allowed');
  }
  expect(latestOfMinor(SHIPPED_RELEASES, '1.13')?.version).toBe('1.13.9');
  expect(latestOfMinor(SHIPPED_RELEASES, '1.14')?.version).toBe('1.14.0');
  expect(supportEndedOn(SHIPPED_RELEASES, '1.13.9')).toBe('2026-09-03');
  expect(supportEndedOn(SHIPPED_RELEASES, '1.14.0')).toBeUndefined();
});
