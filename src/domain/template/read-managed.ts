/** `managed` on the control plane: the platform runs it, so nothing else may say where its machines come from. */
import type { MachineSource } from '../cluster/cluster-spec';
import { findSizeTier, SIZE_TIERS } from '../tiers/size-tiers';
import { openFields, type Fields } from '../yaml/fields';
import { MANAGED_FIELDS } from './template-fields';

export const DEFAULT_PROVIDER = 'default';
export const DEFAULT_SIZE = 'xs';

const EXCLUDED = ['machines', 'machineClass', 'systemExtensions', 'kernelArgs', 'upgradeStrategy'] as const;
const PROVIDER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Undefined when the control plane is not managed. */
export function readManaged(controlPlane: Fields): MachineSource | undefined {
  const spot = controlPlane.get('managed');
  const fields = spot && openFields(spot, MANAGED_FIELDS, controlPlane.report);
  if (spot === undefined) {
    return undefined;
  }
  if (fields === undefined) {
    // Refused already; what was meant is plain.
    return { kind: 'managed', provider: DEFAULT_PROVIDER, size: DEFAULT_SIZE };
  }
  if (!isEnabled(fields)) {
    return undefined;
  }
  refuseExcluded(controlPlane);
  return { kind: 'managed', provider: readProvider(fields), size: readSize(fields) };
}

function isEnabled(fields: Fields): boolean {
  const enabled = fields.flag('enabled');
  if (enabled !== undefined || fields.has('enabled')) {
    return enabled !== false;
  }
  // A misspelt `enable` has its own fault already, with the same remedy.
  if (!fields.has('enable')) {
    fields.require(
      'enabled',
      'Write managed.enabled: true, or false for a control plane of your own machines.',
    );
  }
  // What else stands in the document is judged as what was meant.
  return true;
}

function refuseExcluded(controlPlane: Fields): void {
  for (const key of EXCLUDED) {
    const spot = controlPlane.get(key);
    const emptyMachines = key === 'machines' && spot?.node.kind === 'list' && spot.node.items.length === 0;
    if (spot !== undefined && !emptyMachines) {
      const reason = `${key} cannot be set on a managed control plane: the platform decides it.`;
      controlPlane.refuse(key, 'MANAGED_EXCLUDES', reason, `Remove ${key}, or write managed.enabled: false.`);
    }
  }
}

function readProvider(fields: Fields): string {
  const provider = fields.text('provider') ?? DEFAULT_PROVIDER;
  if (!PROVIDER.test(provider)) {
    const reason = `"${provider.slice(0, 80)}" cannot be the name of a provider.`;
    fields.refuse(
      'provider',
      'PROVIDER_NAME',
      reason,
      'Leave it out for the default, or write a name from the options.',
    );
  }
  return provider;
}

function readSize(fields: Fields): string {
  const size = fields.text('size') ?? DEFAULT_SIZE;
  if (findSizeTier(size) === undefined) {
    const tiers = SIZE_TIERS.map(({ name, machines }) => `${name} (${machines})`).join(', ');
    const reason = `There is no size "${size.slice(0, 40)}".`;
    fields.refuse('size', 'TIER_UNKNOWN', reason, `Sizes, with their number of machines: ${tiers}.`);
  }
  return size;
}
