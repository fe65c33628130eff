/**
 * The Talos releases that Quorate knows, as shipped. Kubernetes patch releases are not listed: any X.Y.Z inside the
 * range of a Talos minor counts. Source: tags, changelogs and the compatibility package of siderolabs/talos.
 */
import type { ReleaseCatalogue, TalosMinor, TalosRelease } from './release';

const MINORS: readonly TalosMinor[] = [
  { minor: '1.8', releasedOn: '2024-09-23', kubernetes: { min: '1.26', max: '1.31' } },
  { minor: '1.9', releasedOn: '2024-12-17', kubernetes: { min: '1.27', max: '1.32' } },
  { minor: '1.10', releasedOn: '2025-04-30', kubernetes: { min: '1.28', max: '1.33' } },
  { minor: '1.11', releasedOn: '2025-09-01', kubernetes: { min: '1.29', max: '1.34' } },
  { minor: '1.12', releasedOn: '2025-12-22', kubernetes: { min: '1.30', max: '1.35' } },
  { minor: '1.13', releasedOn: '2026-04-27', kubernetes: { min: '1.31', max: '1.36' } },
  {
    minor: '1.14',
    releasedOn: '2026-09-03',
    kubernetes: { min: '1.32', max: '1.37', documentedMin: '1.33' },
  },
];

/** version, date, default Kubernetes, etcd */
type Row = readonly [string, string, string, string];

// prettier-ignore
const ROWS: readonly Row[] = [
  ['1.8.0', '2024-09-23', '1.31.1', '3.5.16'],
  ['1.8.1', '2024-10-08', '1.31.1', '3.5.16'],
  ['1.8.2', '2024-10-28', '1.31.2', '3.5.16'],
  ['1.8.3', '2024-11-13', '1.31.2', '3.5.16'],
  ['1.8.4', '2024-12-12', '1.31.4', '3.5.17'],
  ['1.9.0', '2024-12-17', '1.32.0', '3.5.17'],
  ['1.9.1', '2024-12-26', '1.32.0', '3.5.17'],
  ['1.9.2', '2025-01-16', '1.32.0', '3.5.17'],
  ['1.9.3', '2025-01-28', '1.32.1', '3.5.18'],
  ['1.9.4', '2025-02-13', '1.32.2', '3.5.18'],
  ['1.9.5', '2025-03-12', '1.32.3', '3.5.19'],
  ['1.9.6', '2025-05-05', '1.32.4', '3.5.21'],
  ['1.10.0', '2025-04-30', '1.33.0', '3.5.21'],
  ['1.10.1', '2025-05-07', '1.33.0', '3.5.21'],
  ['1.10.2', '2025-05-16', '1.33.0', '3.5.21'],
  ['1.10.3', '2025-05-29', '1.33.1', '3.5.21'],
  ['1.10.4', '2025-06-11', '1.33.1', '3.5.21'],
  ['1.10.5', '2025-07-03', '1.33.2', '3.5.21'],
  ['1.10.6', '2025-07-31', '1.33.3', '3.5.21'],
  ['1.10.7', '2025-08-26', '1.33.4', '3.5.21'],
  ['1.10.8', '2025-11-18', '1.33.6', '3.5.21'],
  ['1.10.9', '2025-12-23', '1.33.6', '3.5.26'],
  ['1.11.0', '2025-09-01', '1.34.0', '3.6.4'],
  ['1.11.1', '2025-09-08', '1.34.0', '3.6.4'],
  ['1.11.2', '2025-09-25', '1.34.1', '3.6.4'],
  ['1.11.3', '2025-10-15', '1.34.1', '3.6.5'],
  ['1.11.4', '2025-11-06', '1.34.1', '3.6.5'],
  ['1.11.5', '2025-11-06', '1.34.1', '3.6.5'],
  ['1.11.6', '2025-12-16', '1.34.1', '3.6.5'],
  ['1.12.0', '2025-12-22', '1.35.0', '3.6.7'],
  ['1.12.1', '2026-01-05', '1.35.0', '3.6.7'],
  ['1.12.2', '2026-01-21', '1.35.0', '3.6.7'],
  ['1.12.3', '2026-02-07', '1.35.0', '3.6.7'],
  ['1.12.4', '2026-02-12', '1.35.0', '3.6.7'],
  ['1.12.5', '2026-03-06', '1.35.2', '3.6.8'],
  ['1.12.6', '2026-03-19', '1.35.2', '3.6.8'],
  ['1.12.7', '2026-04-24', '1.35.4', '3.6.9'],
  ['1.12.8', '2026-05-22', '1.35.4', '3.6.11'],
  ['1.12.9', '2026-06-19', '1.35.4', '3.6.11'],
  ['1.12.10', '2026-07-16', '1.35.4', '3.6.11'],
  ['1.12.11', '2026-08-05', '1.35.4', '3.6.11'],
  ['1.13.0', '2026-04-27', '1.36.0', '3.6.9'],
  ['1.13.1', '2026-05-12', '1.36.0', '3.6.11'],
  ['1.13.2', '2026-05-12', '1.36.0', '3.6.11'],
  ['1.13.3', '2026-05-25', '1.36.1', '3.6.11'],
  ['1.13.4', '2026-06-09', '1.36.1', '3.6.12'],
  ['1.13.5', '2026-06-22', '1.36.2', '3.6.12'],
  ['1.13.6', '2026-07-09', '1.36.2', '3.6.12'],
  ['1.13.7', '2026-07-21', '1.36.2', '3.6.12'],
  ['1.13.8', '2026-08-04', '1.36.2', '3.6.12'],
  ['1.13.9', '2026-08-18', '1.36.3', '3.6.12'],
  ['1.14.0-rc.1', '2026-08-14', '1.37.0-rc.0', '3.7.1'],
  ['1.14.0', '2026-09-03', '1.37.0', '3.7.1'],
];

const WITHDRAWN: Readonly<Record<string, { reason: string; use: string }>> = {
  '1.13.1': { reason: 'its publication broke and was withdrawn the same day', use: '1.13.2' },
};

const UPGRADE_BUG = 'upgrades from it can hang and need the work-around of siderolabs/talos#10163';
const CAUTIONS: Readonly<Record<string, string>> = {
  '1.9.0': UPGRADE_BUG,
  '1.9.1': UPGRADE_BUG,
  '1.9.2': UPGRADE_BUG,
  '1.10.0': 'containerd may crash and incomplete configs are accepted; fixed in 1.10.1',
  '1.11.4': 'superseded the same day by 1.11.5',
  '1.12.2': 'its kernel breaks the BPF programs of some Cilium releases',
};

function toRelease([version, releasedOn, defaultKubernetes, etcd]: Row): TalosRelease {
  const withdrawn = WITHDRAWN[version];
  const caution = CAUTIONS[version];
  const facts = { version, releasedOn, defaultKubernetes, etcd };
  return { ...facts, ...(withdrawn && { withdrawn }), ...(caution && { caution }) };
}

export const SHIPPED_RELEASES: ReleaseCatalogue = { releases: ROWS.map(toRelease), minors: MINORS };
