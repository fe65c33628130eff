/** The Cluster document: name, versions, features, manifests and health checks. */
import type { ClusterFeatures, HealthCheckSpec, ManifestSpec, PatchSpec } from '../cluster/cluster-spec';
import { readVersion } from '../version/parse-version';
import { openFields, type Fields, type Spot } from '../yaml/fields';
import { readFeatures } from './read-features';
import { readContent, type Content } from './read-content';
import { readMetadata, type Metadata } from './read-metadata';
import { readPatches } from './read-patches';
import { readOverrides, type Overrides } from './read-overrides';
import { readSeconds } from './read-seconds';
import type { TemplateContext } from './template-context';
import { CLUSTER_FIELDS } from './template-fields';

export interface ClusterDocument extends Metadata, Overrides {
  readonly name: string;
  readonly talosVersion: string;
  readonly kubernetesVersion: string;
  readonly features: ClusterFeatures;
  readonly patches: readonly PatchSpec[];
  readonly manifests: readonly ManifestSpec[];
  readonly healthChecks: readonly HealthCheckSpec[];
}

/** A name becomes part of host names and paths. */
const NAME = /^[A-Za-z0-9_-]+$/;
const MAX_NAME_LENGTH = 63;
const HEALTH_CHECK_SECONDS = { min: 5, max: 24 * 3600, default: 30 };

export function readCluster(spot: Spot, context: TemplateContext): ClusterDocument | undefined {
  const fields = openFields(spot, CLUSTER_FIELDS, context.report);
  if (fields === undefined) {
    return undefined;
  }
  const name = readName(fields, 'Write the name of the cluster, such as name: demo.');
  const talos = nested(fields, 'talos', ['version']);
  const talosVersion = talos && readTalosVersion(talos);
  const kubernetes = nested(fields, 'kubernetes', ['version', 'manifests', 'healthchecks']);
  const kubernetesVersion = kubernetes && readVersionText(kubernetes, 'such as v1.36.2');
  return {
    name: name ?? '',
    talosVersion: talosVersion ?? '',
    kubernetesVersion: kubernetesVersion ?? '',
    ...readMetadata(fields),
    ...readOverrides(fields),
    features: readFeatures(fields, talosVersion, context),
    patches: readPatches(fields, 'any', context),
    manifests: kubernetes === undefined ? [] : readManifests(kubernetes, context),
    healthChecks: kubernetes === undefined ? [] : readHealthChecks(kubernetes, context),
  };
}

export function readName(fields: Fields, remedy: string): string | undefined {
  const spot = fields.require('name', remedy);
  const name = spot && fields.text('name');
  if (name === undefined) {
    return undefined;
  }
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH) {
    const reason = `A name has 1 to ${MAX_NAME_LENGTH} letters, digits, - and _; "${name.slice(0, 80)}" has not.`;
    const unfilled = /[${}<>]/.test(name) ? 'Fill in the placeholder.' : 'Choose another name.';
    fields.refuse('name', 'NAME', reason, unfilled);
    return undefined;
  }
  return name;
}

function nested(fields: Fields, key: string, keys: readonly string[]): Fields | undefined {
  const spot = fields.require(key, `Write ${key}: with version: below it.`);
  return spot && openFields(spot, { keys }, fields.report);
}

function readTalosVersion(talos: Fields): string | undefined {
  const version = readVersionText(talos, 'such as v1.13.9');
  if (version !== undefined && !talos.text('version')?.startsWith('v')) {
    const reason = 'The Talos version must start with v, as its releases are named.';
    talos.refuse('version', 'TALOS_VERSION_PREFIX', reason, `Write v${version}.`);
  }
  return version;
}

function readVersionText(fields: Fields, example: string): string | undefined {
  const spot = fields.require('version', `Write version: ${example}.`);
  const written = spot && fields.text('version');
  if (written === undefined) {
    return undefined;
  }
  const version = readVersion(written);
  if (version === undefined) {
    const reason = `"${written.slice(0, 80)}" is not a version.`;
    fields.refuse('version', 'VERSION_SYNTAX', reason, `Write major.minor.patch, ${example}.`);
  }
  return version?.text;
}

function readManifests(kubernetes: Fields, context: TemplateContext): ManifestSpec[] {
  const known = { keys: ['name', 'mode', 'file', 'inline'] };
  const taken = new Set<string>();
  return (kubernetes.list('manifests') ?? []).flatMap((spot) => {
    const fields = openFields(spot, known, context.report);
    if (fields === undefined) {
      return [];
    }
    const mode = readMode(fields);
    const content = readContent(fields, { inlineKey: 'inline', parse: false }, context);
    const name = uniqueName(fields, fields.text('name') ?? content?.file, content, taken);
    return mode && content && name !== undefined ? [{ name, mode, content: content.text }] : [];
  });
}

function readMode(fields: Fields): ManifestSpec['mode'] | undefined {
  const remedy = 'Write mode: full (kept in step) or mode: one-time.';
  const mode = fields.require('mode', remedy) && fields.text('mode');
  if (mode === undefined || mode === 'full' || mode === 'one-time') {
    return mode;
  }
  fields.refuse('mode', 'MANIFEST_MODE', `There is no mode "${mode.slice(0, 40)}".`, remedy);
  return undefined;
}

function readHealthChecks(kubernetes: Fields, context: TemplateContext): HealthCheckSpec[] {
  const known = { keys: ['name', 'idOverride', 'labels', 'annotations', 'job', 'file', 'interval'] };
  const taken = new Set<string>();
  return (kubernetes.list('healthchecks') ?? []).flatMap((spot) => {
    const fields = openFields(spot, known, context.report);
    if (fields === undefined) {
      return [];
    }
    readMetadata(fields);
    const content = readContent(fields, { inlineKey: 'job', parse: false }, context);
    const name = uniqueName(fields, fields.text('name') ?? fields.text('idOverride'), content, taken);
    const intervalSeconds = readSeconds(fields, 'interval', HEALTH_CHECK_SECONDS);
    return content && name !== undefined ? [{ name, content: content.text, intervalSeconds }] : [];
  });
}

function uniqueName(
  fields: Fields,
  name: string | undefined,
  content: Content | undefined,
  taken: Set<string>,
): string | undefined {
  if (name === undefined || name === '') {
    if (content !== undefined) {
      fields.refuse(
        'name',
        'REQUIRED',
        `${fields.path}.name is missing.`,
        'Write a name that is unique in the list.',
      );
    }
    return undefined;
  }
  if (taken.has(name)) {
    fields.refuse('name', 'DUPLICATE_NAME', `"${name}" stands twice in the list.`, 'Rename one of them.');
  }
  taken.add(name);
  return name;
}
