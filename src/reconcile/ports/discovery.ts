export interface Affiliate {
  /** Equals the machine's node identity while it lives. */
  readonly id: string;
  /** From its own record; the affiliate's id when the record is empty or cannot be read. */
  readonly nodeId: string;
  readonly hostname?: string;
}

/** The discovery service through which the machines of a cluster find each other. */
export abstract class Discovery {
  /**
   * @param discoveryClusterId `cluster.id` of the secrets bundle, @param secret its `cluster.secret`.
   * @throws DomainError `unavailable` DISCOVERY_UNAVAILABLE.
   */
  abstract list(discoveryClusterId: string, secret: string): Promise<readonly Affiliate[]>;
  /** Idempotent. A living machine publishes itself again within 15 minutes. */
  abstract delete(discoveryClusterId: string, affiliateId: string): Promise<void>;
}
