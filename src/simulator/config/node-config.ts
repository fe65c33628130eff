/** What a simulated machine needs to know of its own config, once that is known to be valid. */

export interface NodeConfig {
  /** As submitted, byte for byte. */
  readonly text: string;
  readonly role: 'controlplane' | 'worker';
  readonly token: string;
  readonly osCa: { readonly crt: string; readonly key?: string };
  readonly acceptedCas: readonly string[];
  readonly certSans: readonly string[];
  /** Absent: made from the node's identity. */
  readonly hostname?: string;
  readonly clusterId: string;
  readonly clusterSecret: string;
  readonly clusterName: string;
  readonly endpoint: URL;
  /** Absent: discovery is off. */
  readonly discoveryEndpoint?: string;
  readonly kubernetesCa?: { readonly crt: string; readonly key: string };
  readonly kubernetesVersion: string;
  readonly apiServerSans: readonly string[];
  readonly skipNodeRegistration: boolean;
  readonly allowScheduling: boolean;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly nodeTaints: Readonly<Record<string, string>>;
  readonly installImage?: string;
}

export const PUBLIC_DISCOVERY = 'https://discovery.talos.dev/';

/** Go takes any scalar for a text, and null for an empty one. */
export type Scalar = string | number | boolean | null;

/** The part of the v1alpha1 document that is read here; everything else is only validated. */
export interface V1Alpha1 {
  readonly version?: string;
  readonly persist?: boolean;
  readonly machine?: {
    readonly type?: string;
    readonly token?: string;
    readonly ca?: { readonly crt?: string; readonly key?: string };
    readonly acceptedCAs?: readonly { readonly crt?: string }[];
    readonly certSANs?: readonly string[];
    readonly kubelet?: {
      readonly image?: string;
      readonly skipNodeRegistration?: boolean;
      readonly nodeIP?: { readonly validSubnets?: readonly string[] };
    };
    readonly network?: {
      readonly hostname?: string;
      readonly kubespan?: { readonly enabled?: boolean; readonly mtu?: number };
      readonly interfaces?: readonly InterfaceConfig[];
      readonly nameservers?: readonly Scalar[];
    };
    readonly install?: {
      readonly disk?: string;
      readonly diskSelector?: Record<string, unknown>;
      readonly image?: string;
      readonly extraKernelArgs?: readonly string[];
      readonly extensions?: readonly unknown[];
      readonly grubUseUKICmdline?: boolean;
    };
    readonly time?: { readonly servers?: readonly string[]; readonly disabled?: boolean };
    readonly features?: {
      readonly stableHostname?: boolean;
      readonly hostDNS?: { readonly enabled?: boolean; readonly forwardKubeDNSToHost?: boolean };
      readonly kubernetesTalosAPIAccess?: {
        readonly enabled?: boolean;
        readonly allowedRoles?: readonly string[];
      };
    };
    readonly nodeLabels?: Record<string, Scalar>;
    readonly nodeAnnotations?: Record<string, Scalar>;
    readonly nodeTaints?: Record<string, Scalar>;
  };
  readonly cluster?: {
    readonly id?: string;
    readonly secret?: string;
    readonly clusterName?: string;
    readonly controlPlane?: { readonly endpoint?: string };
    readonly network?: {
      readonly dnsDomain?: string;
      readonly cni?: { readonly name?: string; readonly urls?: readonly string[] };
      readonly podSubnets?: readonly string[];
      readonly serviceSubnets?: readonly string[];
    };
    readonly token?: string;
    readonly ca?: { readonly crt?: string; readonly key?: string };
    readonly acceptedCAs?: readonly { readonly crt?: string }[];
    readonly aggregatorCA?: { readonly crt?: string; readonly key?: string };
    readonly serviceAccount?: { readonly key?: string };
    readonly secretboxEncryptionSecret?: string;
    readonly aescbcEncryptionSecret?: string;
    readonly apiServer?: {
      readonly image?: string;
      readonly certSANs?: readonly string[];
      readonly extraArgs?: Record<string, unknown>;
      readonly authorizationConfig?: readonly unknown[];
    };
    readonly controllerManager?: { readonly image?: string };
    readonly scheduler?: { readonly image?: string };
    readonly proxy?: { readonly image?: string };
    readonly etcd?: { readonly ca?: { readonly crt?: string; readonly key?: string } };
    readonly discovery?: {
      readonly enabled?: boolean;
      readonly registries?: {
        readonly service?: { readonly disabled?: boolean; readonly endpoint?: string };
      };
    };
    readonly inlineManifests?: readonly { readonly name?: string }[];
    readonly allowSchedulingOnControlPlanes?: boolean;
    readonly allowSchedulingOnMasters?: boolean;
  };
}

export interface InterfaceConfig {
  readonly interface?: string;
  readonly deviceSelector?: unknown;
  readonly addresses?: readonly Scalar[];
  readonly vip?: unknown;
}

export interface ConfigDocument {
  readonly kind: string;
  readonly name: string;
  readonly content: Readonly<Record<string, unknown>>;
}

export interface ParsedConfig {
  readonly v1alpha1?: V1Alpha1;
  readonly documents: readonly ConfigDocument[];
}

export function asText(value: Scalar): string {
  return String(value ?? '');
}

/** base64 of PEM text, as every certificate and key is written in a machine config. */
export function decodePem(value: string | undefined): string {
  return Buffer.from(value ?? '', 'base64').toString('utf8');
}

export function roleOf(type: string | undefined): 'controlplane' | 'worker' | undefined {
  if (type === 'controlplane' || type === 'init') {
    return 'controlplane';
  }
  return type === 'worker' || type === 'join' ? 'worker' : undefined;
}

/** x.y.z of `repository:vX.Y.Z[-slim][@digest]`. */
export function versionOfImage(image: string | undefined): string | undefined {
  return /:v(\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?)/.exec(image ?? '')?.[1];
}
