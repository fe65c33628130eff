/** What a machine finds around it: the rest of the simulated data centre. */
import type { Affiliate } from '../discovery/affiliate-codec';
import type { AffiliateRegistry } from '../discovery/affiliate-registry';
import type { EtcdEngine } from '../etcd/etcd-engine';
import type { NodeConfig } from '../config/node-config';
import type { startKubelet } from '../kubernetes/kubelet';
import type { startKubernetesApi } from '../kubernetes/kubernetes-api';
import type { MachineFiles } from './machine-record';
import type { Notifier } from './notifier';
import type { SimulatedMachine } from './simulated-machine';

export interface MachineWorld {
  readonly files: MachineFiles;
  readonly engine: EtcdEngine;
  readonly discovery: AffiliateRegistry;
  readonly notifier: Notifier;
  /** How long one stage of a boot takes. 0: no waiting. */
  readonly latencyMs: number;
  readonly startKubelet: typeof startKubelet;
  readonly startKubernetesApi: typeof startKubernetesApi;
  /** Whether a machine with this discovery endpoint reaches the simulated discovery service. */
  reachesDiscovery(endpoint: string): boolean;
  /** What the other members say of themselves, to who knows the cluster's secret. */
  affiliates(config: NodeConfig): Affiliate[];
  /** The other running control planes of the same cluster, as its members find them. */
  controlPlanes(config: NodeConfig, self: SimulatedMachine): SimulatedMachine[];
  log(machine: string, text: string): void;
}

/** Everything in the same cluster waits and wakes on this. */
export function clusterTopic(config: NodeConfig): string {
  return config.clusterId === '' ? config.endpoint.href : config.clusterId;
}
