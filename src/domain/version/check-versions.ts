/**
 * The version rules: what a cluster may be created with, and what it may change to. Only what changes is judged, so
 * that a cluster on a version that is no longer offered can still be repaired, shrunk or deleted.
 * Source: Talos's and Kubernetes's upgrade rules; the table "Versions" in docs/architecture.md.
 */
import { minorOf, readVersion, sameVersion } from './parse-version';
import { judgeKubernetesStep } from './judge-kubernetes-step';
import { judgeKubernetesVersion, kubernetesRange } from './judge-kubernetes-version';
import { judgeTalosStep } from './judge-talos-step';
import { judgeTalosVersion } from './judge-talos-version';
import {
  KUBERNETES_PATH,
  TALOS_PATH,
  VersionFindings,
  type VersionChange,
  type VersionContext,
  type VersionPair,
  type VersionVerdict,
} from './version-verdict';

export const UPGRADE_STEPS = ['talos', 'kubernetes'] as const;
export type UpgradeStep = (typeof UPGRADE_STEPS)[number];

export function checkCreate(pair: VersionPair, context: VersionContext): VersionVerdict {
  const findings = new VersionFindings(context);
  judgeTalosVersion({ version: pair.talosVersion, isNew: true }, context, findings);
  judgeKubernetesVersion(pair, context, findings);
  return findings;
}

export function checkChange(change: VersionChange, context: VersionContext): VersionVerdict {
  const findings = new VersionFindings(context);
  const legible = legibleChange(change, findings);
  if (legible === undefined) {
    return findings;
  }
  const { from, to } = legible;
  const steps = upgradeSteps(from, to);
  if (steps.includes('talos')) {
    // A refused step says enough: whether the target is on the list no longer matters.
    const legal = judgeTalosStep(legible, context, findings);
    if (legal && judgeTalosVersion({ version: to.talosVersion, isNew: false }, context, findings)) {
      judgeRunningKubernetes(legible, context, findings);
    }
  }
  if (steps.includes('kubernetes') && judgeKubernetesStep(legible, context, findings)) {
    judgeKubernetesVersion(to, context, findings);
  }
  return findings;
}

/** The single steps of a change, in the order in which they run: each an operation of its own. */
export function upgradeSteps(from: VersionPair, to: VersionPair): readonly UpgradeStep[] {
  const steps: UpgradeStep[] = [];
  if (!sameVersion(from.talosVersion, to.talosVersion)) {
    steps.push('talos');
  }
  if (!sameVersion(from.kubernetesVersion, to.kubernetesVersion)) {
    steps.push('kubernetes');
  }
  return steps;
}

/** Talos goes first, so the Kubernetes that runs now must be one that the new Talos runs. */
function judgeRunningKubernetes(
  change: VersionChange,
  context: VersionContext,
  findings: VersionFindings,
): void {
  const running = change.from.kubernetesVersion;
  const trial = new VersionFindings(context);
  const pair = { talosVersion: change.to.talosVersion, kubernetesVersion: running };
  if (
    judgeKubernetesVersion(pair, { ...context, policy: { ...context.policy, allowPrereleases: true } }, trial)
  ) {
    return;
  }
  const range = kubernetesRange(change.to.talosVersion, context);
  const bounds = `${range?.documentedMin ?? range?.min ?? '?'} to ${range?.max ?? '?'}`;
  const reason = `The cluster runs Kubernetes ${running}; Talos ${change.to.talosVersion} runs ${bounds}.`;
  const next = range === undefined ? '' : ` (${minorOf(range.documentedMin ?? range.min)} or newer)`;
  findings.refuse(
    TALOS_PATH,
    'KUBERNETES_UNSUPPORTED',
    reason,
    `Upgrade Kubernetes first${next}, then Talos.`,
  );
}

/** Versions without v, or nothing after a fault: what is no version cannot be compared. */
function legibleChange(change: VersionChange, findings: VersionFindings): VersionChange | undefined {
  const from = legiblePair(change.from);
  const to = legiblePair(change.to);
  if (readVersion(change.to.talosVersion) === undefined) {
    const reason = `"${change.to.talosVersion.slice(0, 80)}" is not a version.`;
    findings.refuse(TALOS_PATH, 'VERSION_SYNTAX', reason, 'Write v and major.minor.patch.');
  }
  if (readVersion(change.to.kubernetesVersion) === undefined) {
    const reason = `"${change.to.kubernetesVersion.slice(0, 80)}" is not a version.`;
    findings.refuse(KUBERNETES_PATH, 'VERSION_SYNTAX', reason, 'Write major.minor.patch.');
  }
  if (to === undefined) {
    return undefined;
  }
  if (from === undefined) {
    // Guessing the present version is how upgrades go wrong.
    const reason = 'The present version of the cluster is not known.';
    findings.refuse(
      TALOS_PATH,
      'VERSION_OBSERVED_UNKNOWN',
      reason,
      'Wait until its machines report, then try again.',
    );
    return undefined;
  }
  return { ...change, from, to };
}

function legiblePair(pair: VersionPair): VersionPair | undefined {
  const talos = readVersion(pair.talosVersion);
  const kubernetes = readVersion(pair.kubernetesVersion);
  return talos && kubernetes && { talosVersion: talos.text, kubernetesVersion: kubernetes.text };
}
