/** Every command carries it: in which tenant, who asks, and under which request id it is audited. */
export interface Invocation {
  readonly tenantId: string;
  /** `token:<name>`. */
  readonly actor: string;
  readonly requestId: string;
}
