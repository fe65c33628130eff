/** `features` of the Cluster document, with the defaults of a managed and of an unmanaged cluster. */
import type { ClusterFeatures } from '../cluster/cluster-spec';
import { compareVersions } from '../version/parse-version';
import { openFields, type Fields } from '../yaml/fields';
import { readSeconds } from './read-seconds';
import type { TemplateContext } from './template-context';
import { FEATURE_FIELDS } from './template-fields';

const HOUR = 3600;
const ENCRYPTION_SINCE = '1.5.0';

export function readFeatures(
  cluster: Fields,
  talosVersion: string | undefined,
  context: TemplateContext,
): ClusterFeatures {
  // Managed control planes are backed up hourly unless the template says otherwise.
  const backupDefault = context.managed ? HOUR : 0;
  const spot = cluster.get('features');
  const fields = spot && openFields(spot, FEATURE_FIELDS, context.report);
  const disablePublicDiscoveryService = fields?.flag('disablePublicDiscoveryService');
  const diskEncryption = fields?.flag('diskEncryption') ?? false;
  if (fields !== undefined && diskEncryption && talosVersion !== undefined) {
    checkEncryption(fields, talosVersion);
  }
  return {
    diskEncryption,
    enableWorkloadProxy: fields?.flag('enableWorkloadProxy') ?? false,
    useEmbeddedDiscoveryService: fields?.flag('useEmbeddedDiscoveryService') ?? false,
    ...(disablePublicDiscoveryService !== undefined && { disablePublicDiscoveryService }),
    enableNodeAuditSkip: fields?.flag('enableNodeAuditSkip') ?? false,
    backupIntervalSeconds: fields === undefined ? backupDefault : readBackupInterval(fields, backupDefault),
  };
}

function checkEncryption(fields: Fields, talosVersion: string): void {
  if (compareVersions(talosVersion, ENCRYPTION_SINCE) < 0) {
    const reason = `Disk encryption needs Talos 1.5 or newer; the template names ${talosVersion}.`;
    fields.refuse('diskEncryption', 'ENCRYPTION_TALOS', reason, 'Raise talos.version or switch it off.');
  }
}

function readBackupInterval(fields: Fields, byDefault: number): number {
  const spot = fields.get('backupConfiguration');
  const backup = spot && openFields(spot, { keys: ['interval'] }, fields.report);
  const bounds = { min: HOUR, max: 24 * HOUR, default: byDefault, zeroIsOff: true };
  return backup === undefined ? byDefault : readSeconds(backup, 'interval', bounds);
}
