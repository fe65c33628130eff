import type { SecretsBundle } from '../../domain/machine-config/secrets-bundle';
import type { MachineFacts } from '../../domain/machine/machine-facts';

export interface TalosTarget {
  /** host:port */
  readonly talosEndpoint: string;
  /** host:port */
  readonly kubernetesEndpoint: string;
  readonly role: 'control-plane' | 'worker';
  /** Absent: the cluster has none yet, so the machine can only be waiting in maintenance mode. */
  readonly secrets?: SecretsBundle;
}

/** Its own cluster's certificates are needed; only a first config is sent to a machine without them. */
export type ConfiguredTarget = TalosTarget & { readonly secrets: SecretsBundle };

export interface ConfigVerdict {
  readonly outcome: 'applied' | 'rejected';
  /** Talos's own words: its warnings, what it did, or why it refused. */
  readonly message: string;
}

export interface ResetOptions {
  /** Partitions to wipe; STATE and EPHEMERAL bring a machine back to maintenance mode. */
  readonly wipeLabels: readonly string[];
  readonly reboot: boolean;
}

/** The Talos API of machines. Each call ends within its own deadline. */
export abstract class TalosMachines {
  /** Never throws for a machine that does not answer: that is a fact too. */
  abstract probe(target: TalosTarget): Promise<MachineFacts>;

  /**
   * Sends a whole config. `maintenance` sends it without authentication to a machine that has none; `configured`
   * changes a running machine and never lets it reboot.
   * @throws DomainError `unavailable` when the machine does not answer or is busy: send it again.
   */
  abstract applyConfig(
    target: TalosTarget,
    yaml: string,
    mode: 'maintenance' | 'configured',
  ): Promise<ConfigVerdict>;

  /**
   * Starts etcd on the one machine chosen for it. `not-yet`: Talos waits for its own preconditions, ask again.
   * @throws DomainError `unavailable` when the machine does not answer.
   */
  abstract bootstrap(target: ConfiguredTarget): Promise<'started' | 'already-bootstrapped' | 'not-yet'>;

  /**
   * Wipes without leaving etcd: for machines whose membership has ended or whose whole cluster goes.
   * @throws DomainError `unavailable` when the machine does not answer.
   */
  abstract reset(target: ConfiguredTarget, options: ResetOptions): Promise<void>;
}
