/** Judges a whole config as the node does before it accepts it, and reads from it what the machine needs. */
import { ConfigRefused, parseConfig } from './parse-config';
import {
  asText,
  decodePem,
  PUBLIC_DISCOVERY,
  roleOf,
  versionOfImage,
  type NodeConfig,
  type Scalar,
  type ParsedConfig,
  type V1Alpha1,
} from './node-config';
import { validateCluster } from './validate-cluster';
import { validateDocuments } from './validate-documents';
import { validateImages } from './validate-images';
import { validateMachine } from './validate-machine';

export interface Judgement {
  readonly config: NodeConfig;
  readonly warnings: string[];
}

/** Throws ConfigRefused with every problem that was found. */
export function judgeConfig(text: string, talosMinor: number): Judgement {
  const parsed = parseConfig(text, talosMinor);
  const { v1alpha1 } = parsed;
  if (v1alpha1 === undefined) {
    throw new ConfigRefused('the machine configuration must contain the v1alpha1 document');
  }
  const errors: string[] = [];
  const warnings: string[] = [];
  if (v1alpha1.version !== 'v1alpha1') {
    errors.push('version: unknown version of the configuration');
  }
  if (v1alpha1.persist === false) {
    errors.push('setting persist to false is no longer supported');
  }
  if (!v1alpha1.machine) {
    errors.push('machine instructions are required');
  }
  if (!v1alpha1.cluster) {
    errors.push('cluster instructions are required');
  }
  if (errors.length === 0) {
    validateMachine(v1alpha1, parsed.documents, talosMinor, errors, warnings);
    validateCluster(v1alpha1, errors, warnings);
    validateDocuments(parsed, errors);
    validateImages(v1alpha1, talosMinor, errors);
  }
  if (errors.length > 0) {
    throw refuse(errors);
  }
  return { config: readNodeConfig(text, v1alpha1, parsed), warnings };
}

function refuse(errors: readonly string[]): ConfigRefused {
  const count = errors.length === 1 ? '1 error occurred' : `${errors.length} errors occurred`;
  return new ConfigRefused(
    `configuration validation failed: ${count}:\n${errors.map((e) => `\t* ${e}`).join('\n')}\n`,
  );
}

function readNodeConfig(text: string, { machine, cluster }: V1Alpha1, parsed: ParsedConfig): NodeConfig {
  const role = roleOf(machine?.type) ?? 'worker';
  const hostname = readHostname(machine, parsed);
  const discovery = cluster?.discovery;
  const serviceOn = discovery?.enabled === true && discovery.registries?.service?.disabled !== true;
  const image = role === 'controlplane' ? cluster?.apiServer?.image : machine?.kubelet?.image;
  return {
    text,
    role,
    token: machine?.token ?? '',
    osCa: {
      crt: decodePem(machine?.ca?.crt),
      ...(machine?.ca?.key ? { key: decodePem(machine.ca.key) } : {}),
    },
    acceptedCas: (machine?.acceptedCAs ?? []).map((ca) => decodePem(ca.crt)),
    certSans: machine?.certSANs ?? [],
    ...(hostname === undefined ? {} : { hostname }),
    clusterId: cluster?.id ?? '',
    clusterSecret: cluster?.secret ?? '',
    clusterName: cluster?.clusterName ?? '',
    endpoint: new URL(cluster?.controlPlane?.endpoint ?? ''),
    ...(serviceOn ? { discoveryEndpoint: discovery.registries?.service?.endpoint || PUBLIC_DISCOVERY } : {}),
    ...(role === 'controlplane'
      ? { kubernetesCa: { crt: decodePem(cluster?.ca?.crt), key: decodePem(cluster?.ca?.key) } }
      : {}),
    kubernetesVersion: versionOfImage(image ?? machine?.kubelet?.image) ?? '0.0.0',
    apiServerSans: cluster?.apiServer?.certSANs ?? [],
    skipNodeRegistration: machine?.kubelet?.skipNodeRegistration === true,
    allowScheduling:
      cluster?.allowSchedulingOnControlPlanes === true || cluster?.allowSchedulingOnMasters === true,
    nodeLabels: texts(machine?.nodeLabels),
    nodeTaints: texts(machine?.nodeTaints),
    ...(machine?.install?.image === undefined ? {} : { installImage: machine.install.image }),
  };
}

function readHostname(machine: V1Alpha1['machine'], parsed: ParsedConfig): string | undefined {
  const document = parsed.documents.find((d) => d.kind === 'HostnameConfig');
  const value = document?.content.hostname ?? machine?.network?.hostname;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function texts(values: Readonly<Record<string, Scalar>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, asText(value)]));
}
