/** What version rules answer with: refusals and warnings, placed in the template when its places are known. */
import type { ReleaseCatalogue } from '../releases/release';
import type { Violation } from '../shared/errors';
import type { VersionPolicy } from './version-policy';

export const TALOS_PATH = 'Cluster.talos.version';
export const KUBERNETES_PATH = 'Cluster.kubernetes.version';
export type VersionPath = typeof TALOS_PATH | typeof KUBERNETES_PATH;

/** With or without the leading v. */
export interface VersionPair {
  readonly talosVersion: string;
  readonly kubernetesVersion: string;
}

export interface VersionChange {
  readonly from: VersionPair;
  readonly to: VersionPair;
  /** Asked for in words; never honored for managed clusters. */
  readonly allowDowngrade?: boolean;
  /** Unmanaged clusters never go below the minor that they were created with. */
  readonly createdWithTalos?: string;
  /** Where a running upgrade came from: going back to exactly that is an abort, not a downgrade. */
  readonly upgradingFrom?: Partial<VersionPair>;
}

export interface VersionContext {
  readonly catalogue: ReleaseCatalogue;
  readonly policy: VersionPolicy;
  readonly managed: boolean;
  readonly now: Date;
  /** From `parseTemplate`. */
  readonly locate?: (
    path: string,
  ) => { readonly file: string; readonly line: number; readonly column: number } | undefined;
}

export interface VersionVerdict {
  readonly violations: readonly Violation[];
  readonly warnings: readonly Violation[];
}

export class VersionFindings implements VersionVerdict {
  readonly violations: Violation[] = [];
  readonly warnings: Violation[] = [];

  constructor(private readonly context: VersionContext) {}

  refuse(path: VersionPath, code: string, reason: string, remedy: string): void {
    this.violations.push({ ...this.context.locate?.(path), path, code, reason, remedy });
  }

  warn(path: VersionPath, code: string, reason: string, remedy: string): void {
    this.warnings.push({ ...this.context.locate?.(path), path, code, reason, remedy });
  }
}
