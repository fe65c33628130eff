/** Everything that one machine's config is made of. `renderMachineConfig` turns it into YAML; nothing else decides. */
import type { SecretsBundle } from './secrets-bundle';

export interface WeightedPatch {
  readonly name: string;
  /** Applied low to high; later wins: 100.. cluster, 200.. set, 400 machine, 600 provider, 900 managed. */
  readonly weight: number;
  readonly origin: 'tenant' | 'provider' | 'managed';
  /** YAML, possibly several documents. */
  readonly content: string;
}

export interface MachineConfigInput {
  readonly clusterName: string;
  readonly role: 'control-plane' | 'worker';
  readonly hostname: string;
  /** https URL that kubelets and clients use. */
  readonly endpoint: string;
  /** Without v. Decides the layout (contract 1.8 .. 1.14). */
  readonly talosVersion: string;
  /** Without v. */
  readonly kubernetesVersion: string;
  readonly installDisk: string;
  /** Image Factory schematic. */
  readonly schematicId: string;
  /** Extra names of the Talos and the Kubernetes API certificates. */
  readonly certSANs: readonly string[];
  /** https://host[:port]/ without path, or undefined for Talos's public default. */
  readonly discoveryEndpoint?: string;
  readonly skipNodeRegistration: boolean;
  readonly secrets: SecretsBundle;
  readonly patches: readonly WeightedPatch[];
}
