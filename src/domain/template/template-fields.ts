/** The fields of the cluster template format: Omni's, plus `managed` on the control plane. Everything else is refused. */
import type { Known } from '../yaml/fields';

const METADATA = ['labels', 'annotations'];
const CONTENT = ['patches', 'systemExtensions', 'kernelArgs'];
const STRATEGY_HINT = 'A control plane always changes one machine at a time; only Workers have this field.';

export const KINDS = ['Cluster', 'ControlPlane', 'Workers', 'Machine'] as const;
export type TemplateKind = (typeof KINDS)[number];

const KUBERNETES_HINT =
  'A template document is no Kubernetes object: its fields stand at the top, beside kind.';
const KUBERNETES_HINTS = { apiVersion: KUBERNETES_HINT, metadata: KUBERNETES_HINT, spec: KUBERNETES_HINT };
const LOCK_HINT = 'Only a Machine document of a worker can be locked.';

export const CLUSTER_FIELDS: Known = {
  keys: ['kind', 'name', ...METADATA, 'kubernetes', 'talos', 'features', ...CONTENT],
  hints: {
    ...KUBERNETES_HINTS,
    locked: LOCK_HINT,
    managed: 'Write managed in the ControlPlane document.',
    Kind: 'Keys are case-sensitive: write kind.',
  },
};

export const CONTROL_PLANE_FIELDS: Known = {
  keys: [
    'kind',
    ...METADATA,
    'managed',
    'machines',
    'machineClass',
    ...CONTENT,
    'bootstrapSpec',
    'upgradeStrategy',
  ],
  hints: {
    ...KUBERNETES_HINTS,
    name: 'The control plane has no name of its own; remove it.',
    updateStrategy: STRATEGY_HINT,
    deleteStrategy: STRATEGY_HINT,
    locked: LOCK_HINT,
  },
};

export const WORKERS_FIELDS: Known = {
  keys: [
    ...['kind', 'name', ...METADATA, 'machines', 'machineClass', ...CONTENT],
    ...['updateStrategy', 'deleteStrategy', 'upgradeStrategy'],
  ],
  hints: {
    ...KUBERNETES_HINTS,
    bootstrapSpec:
      'Only the control plane is restored from a backup: write bootstrapSpec in the ControlPlane document.',
    managed: 'Only the control plane can be managed; workers are your own machines.',
    locked: LOCK_HINT,
  },
};

export const MACHINE_FIELDS: Known = {
  keys: ['kind', 'name', ...METADATA, 'locked', 'install', ...CONTENT],
  hints: KUBERNETES_HINTS,
};

export const MANAGED_FIELDS: Known = {
  keys: ['enabled', 'provider', 'size'],
  hints: {
    enable: 'Write managed.enabled: true (with a d).',
    tier: 'Write managed.size.',
  },
};

export const FEATURE_FIELDS: Known = {
  keys: [
    ...[
      'diskEncryption',
      'enableWorkloadProxy',
      'useEmbeddedDiscoveryService',
      'disablePublicDiscoveryService',
    ],
    ...['enableNodeAuditSkip', 'backupConfiguration', 'managedControlPlanes'],
  ],
};

export const PATCH_FIELDS: Known = {
  keys: ['name', 'idOverride', ...METADATA, 'file', 'inline'],
};
