/**
 * One machine's config: the base that Talos itself would generate for its version, then every patch by weight. Always
 * rendered from scratch, since appended lists make a second application of the same patch a different config.
 */
import { DomainError } from '../shared/errors';
import { baseClusterSection } from './base-cluster-section';
import { baseMachineSection } from './base-machine-section';
import { printConfigDocuments, type ConfigMap } from './config-document';
import type { MachineConfigInput, WeightedPatch } from './machine-config-input';
import { applyStrategicPatch } from './strategic-merge';
import { talosContract } from './talos-contract';

/**
 * The YAML text to hand to Talos; equal inputs give equal text.
 * @throws DomainError `invalid` when a patch cannot be applied; it names the patch.
 */
export function renderMachineConfig(input: MachineConfigInput): string {
  return printConfigDocuments(byWeight(input.patches).reduce(applyPatch, baseDocuments(input)));
}

function baseDocuments(input: MachineConfigInput): ConfigMap[] {
  const contract = talosContract(input.talosVersion);
  const v1alpha1: ConfigMap = {
    version: 'v1alpha1',
    debug: false,
    persist: true,
    machine: baseMachineSection(input, contract),
    cluster: baseClusterSection(input, contract),
  };
  // A fixed host name excludes `auto`: Talos refuses both together.
  const hostname = { apiVersion: 'v1alpha1', kind: 'HostnameConfig', hostname: input.hostname };
  return contract >= 12 ? [v1alpha1, hostname] : [v1alpha1];
}

/** Stable: patches of one weight keep the order in which they were given. */
function byWeight(patches: readonly WeightedPatch[]): WeightedPatch[] {
  return [...patches].sort((a, b) => a.weight - b.weight);
}

function applyPatch(documents: ConfigMap[], patch: WeightedPatch): ConfigMap[] {
  try {
    return applyStrategicPatch(documents, patch.content);
  } catch (error) {
    if (!(error instanceof DomainError)) {
      throw error;
    }
    // What a hidden patch of the platform says stays hidden.
    const owner = patch.origin === 'managed' ? 'platform' : 'provider';
    const what = patch.origin === 'tenant' ? `patch "${patch.name}"` : `a patch of the ${owner}`;
    throw new DomainError('invalid', 'PATCH_NOT_APPLICABLE', `${what}: ${error.message}`, {
      ...error.options,
      cause: error,
    });
  }
}
