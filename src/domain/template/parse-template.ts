/**
 * The cluster template: a stream of YAML documents of four kinds, read strictly, with every fault at once. Versions
 * are checked for syntax here and against the release catalogue by `checkCreate` and `checkChange`.
 */
import type { ClusterSpec, MachineSetSpec, MachineSpec } from '../cluster/cluster-spec';
import type { Violation } from '../shared/errors';
import { readVersion } from '../version/parse-version';
import { Report } from '../yaml/report';
import { readYaml } from '../yaml/read-yaml';
import { entryOf, type Place, type YamlNode } from '../yaml/yaml-tree';
import { checkTemplate, type Placed } from './check-template';
import { collectDocuments, type TemplateDocuments } from './collect-documents';
import { judgeManaged } from './judge-managed';
import { collectFiles } from './collect-files';
import { readCluster } from './read-cluster';
import { readMachine } from './read-machine';
import { readControlPlane, readWorkers } from './read-machine-set';
import { ContentBudget, type TemplateContext } from './template-context';

export interface TemplateInput {
  readonly text: string;
  /** As the caller names it, for messages. */
  readonly fileName?: string;
  /** Relative path (posix, from the template's folder) to text. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface ParsedTemplate {
  /** Present only when there are no violations. */
  readonly spec?: ClusterSpec;
  readonly violations: readonly Violation[];
  readonly warnings: readonly Violation[];
  /** Where a path such as `Cluster.talos.version` was written. */
  locate(path: string): Place | undefined;
}

export const DEFAULT_FILE_NAME = 'template.yaml';

export function parseTemplate({
  text,
  fileName = DEFAULT_FILE_NAME,
  files = {},
}: TemplateInput): ParsedTemplate {
  const report = new Report();
  const [first, ...others] = readYaml({ text, file: fileName }, report);
  const spec =
    first === undefined
      ? undefined
      : readSpec(collectDocuments([first, ...others], report), collectFiles(files, report), report);
  const { violations, warnings } = report;
  const result = { violations, warnings, locate: (path: string) => report.locate(path) };
  return violations.length === 0 && spec !== undefined ? { spec, ...result } : result;
}

function readSpec(
  documents: TemplateDocuments,
  files: ReadonlyMap<string, string>,
  report: Report,
): ClusterSpec | undefined {
  const managed = judgeManaged(documents, report);
  const talosVersion = peekTalosVersion(documents.cluster?.node);
  const context: TemplateContext = {
    report,
    files,
    parsedFiles: new Map(),
    budget: new ContentBudget(),
    managed: managed.kind !== 'unmanaged',
    ...(talosVersion !== undefined && { talosVersion }),
  };
  const cluster = documents.cluster && readCluster(documents.cluster, context);
  const controlPlane = documents.controlPlane && readControlPlane(documents.controlPlane, context);
  const workers = documents.workers.flatMap((spot) => placed(readWorkers(spot, context), spot));
  const controlPlaneSet = controlPlane ?? (managed.kind === 'by-feature' ? managed.controlPlane : undefined);
  const machines = readMachines(documents, { controlPlane: controlPlaneSet, workers }, context);
  if (controlPlaneSet === undefined || cluster === undefined) {
    return undefined;
  }
  const spec = {
    ...cluster,
    controlPlane: controlPlaneSet,
    workers: workers.map(({ value }) => value),
    machines,
  };
  const placedControlPlane = documents.controlPlane && placed(controlPlaneSet, documents.controlPlane)[0];
  checkTemplate(spec, { controlPlane: placedControlPlane, workers }, report);
  return spec;
}

interface Sets {
  readonly controlPlane: MachineSetSpec | undefined;
  readonly workers: readonly Placed<MachineSetSpec>[];
}

/** A machine's patches are judged by the role of the set that lists it. */
function readMachines(documents: TemplateDocuments, sets: Sets, context: TemplateContext): MachineSpec[] {
  const source = sets.controlPlane?.source;
  const controlPlane = new Set(source?.kind === 'machines' ? source.machineIds : []);
  return documents.machines.flatMap((spot) => {
    const name = entryOf(spot.node, 'name')?.value;
    const id = name?.kind === 'scalar' ? name.text.toLowerCase() : '';
    return readMachine(spot, controlPlane.has(id) ? 'control-plane' : 'worker', context) ?? [];
  });
}

function placed<T>(value: T | undefined, { path, node }: { path: string; node: YamlNode }): Placed<T>[] {
  return value === undefined ? [] : [{ value, path, at: node.at }];
}

/** Patches are judged by it, before the Cluster document is read; what is wrong with it is reported there. */
function peekTalosVersion(cluster: YamlNode | undefined): string | undefined {
  const talos = cluster && entryOf(cluster, 'talos')?.value;
  const version = talos && entryOf(talos, 'version')?.value;
  return version?.kind === 'scalar' ? readVersion(version.text)?.text : undefined;
}
