/**
 * Is the control plane managed? `ControlPlane.managed` says so. The flag `features.managedControlPlanes` of an Omni
 * branch that was public for a while means the same without a ControlPlane document, and is accepted with a warning.
 */
import { CONTROL_PLANE_SET, type MachineSetSpec } from '../cluster/cluster-spec';
import { openFields, type Fields, type Spot } from '../yaml/fields';
import type { Report } from '../yaml/report';
import { entryOf, isNull, type Place, type YamlNode } from '../yaml/yaml-tree';
import type { TemplateDocuments } from './collect-documents';
import { DEFAULT_PROVIDER, DEFAULT_SIZE } from './read-managed';

export type ManagedBy =
  | { readonly kind: 'unmanaged' }
  | { readonly kind: 'by-document' }
  | { readonly kind: 'by-feature'; readonly controlPlane: MachineSetSpec };

const FLAG = 'Cluster.features.managedControlPlanes';
const REPLACEMENT = `a document of its own:\n---\nkind: ControlPlane\nmanaged:\n  enabled: true\n  provider: ${DEFAULT_PROVIDER}\n  size: ${DEFAULT_SIZE}`;

export function judgeManaged(documents: TemplateDocuments, report: Report): ManagedBy {
  const flag = readFlag(documents.cluster, report);
  if (documents.controlPlane !== undefined) {
    if (flag?.enabled === true) {
      const reason = `${FLAG} and a ControlPlane document exclude each other.`;
      const remedy = 'Remove the feature; write managed.enabled: true in the ControlPlane document instead.';
      flag.fields.refuse('managedControlPlanes', 'MANAGED_TWICE', reason, remedy);
    }
    return isManagedDocument(documents.controlPlane.node) ? { kind: 'by-document' } : { kind: 'unmanaged' };
  }
  if (flag?.enabled !== true) {
    refuseMissing(documents.first, report);
    return { kind: 'unmanaged' };
  }
  const reason = `${FLAG} is an older spelling of a managed control plane.`;
  flag.fields.warn(
    'managedControlPlanes',
    'DEPRECATED_SPELLING',
    reason,
    `Remove it and write ${REPLACEMENT}`,
  );
  return { kind: 'by-feature', controlPlane: DEFAULT_CONTROL_PLANE };
}

const DEFAULT_CONTROL_PLANE: MachineSetSpec = {
  name: CONTROL_PLANE_SET,
  role: 'control-plane',
  source: { kind: 'managed', provider: DEFAULT_PROVIDER, size: DEFAULT_SIZE },
  patches: [],
  labels: {},
  annotations: {},
};

interface Flag {
  readonly fields: Fields;
  readonly enabled: boolean | undefined;
}

function readFlag(cluster: Spot | undefined, report: Report): Flag | undefined {
  const features = cluster && entryOf(cluster.node, 'features')?.value;
  const flag = features && entryOf(features, 'managedControlPlanes')?.value;
  if (features === undefined || flag === undefined || isNull(flag)) {
    return undefined;
  }
  const opened = openFields({ node: flag, path: FLAG }, { keys: ['enabled'] }, report);
  // Every key of `features` is judged when the document is read; here only this one matters.
  const keys = features.kind === 'map' ? features.entries.map(({ key }) => key.text) : [];
  const fields = openFields({ node: features, path: 'Cluster.features' }, { keys }, report);
  return opened && fields && { fields, enabled: opened.flag('enabled') };
}

/** A misspelt or missing `enabled` beside other managed fields still shows what was meant. */
function isManagedDocument(controlPlane: YamlNode): boolean {
  const managed = entryOf(controlPlane, 'managed')?.value;
  const enabled = managed && entryOf(managed, 'enabled')?.value;
  const off = enabled?.kind === 'scalar' && /^(?:false|no|off|n)$/i.test(enabled.text);
  return managed !== undefined && !isNull(managed) && !off;
}

function refuseMissing(at: Place, report: Report): void {
  const reason = 'The template has no ControlPlane document.';
  const remedy = 'Add kind: ControlPlane, with managed: {enabled: true} or with machines of your own.';
  report.refuse(at, { path: 'ControlPlane', code: 'CONTROL_PLANE_MISSING', reason, remedy });
}
