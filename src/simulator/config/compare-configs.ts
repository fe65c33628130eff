/** Whether a running node can take a new config without a reboot: only these parts of the v1alpha1 document are live. */
import { parseAllDocuments } from 'yaml';
import { isDeepStrictEqual } from 'node:util';

const LIVE_MACHINE = [
  ...['ca', 'acceptedCAs', 'time', 'certSANs', 'install', 'network', 'sysfs', 'sysctls', 'logging'],
  ...['controlPlane', 'kubelet', 'kernel', 'registries', 'pods', 'seccompProfiles'],
  ...['nodeAnnotations', 'nodeLabels', 'nodeTaints'],
];
const LIVE_FEATURES = [
  'kubernetesTalosAPIAccess',
  'kubePrism',
  'hostDNS',
  'imageCache',
  'nodeAddressSortAlgorithm',
];

export function needsReboot(before: string, after: string): boolean {
  return !isDeepStrictEqual(fixedParts(before), fixedParts(after));
}

type Section = Record<string, unknown>;

function fixedParts(text: string): unknown {
  for (const document of parseAllDocuments(text)) {
    const content = document.toJS() as Section | null;
    if (content === null || 'kind' in content) {
      continue;
    }
    const machine = without((content.machine ?? {}) as Section, LIVE_MACHINE);
    const features = without((machine.features ?? {}) as Section, LIVE_FEATURES);
    return { ...without(content, ['debug', 'cluster']), machine: { ...machine, features } };
  }
  return undefined;
}

function without(section: Section, keys: readonly string[]): Section {
  return Object.fromEntries(Object.entries(section).filter(([key]) => !keys.includes(key)));
}
