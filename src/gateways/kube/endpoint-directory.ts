/** Where the Kubernetes API of a cluster answers right now. */
export abstract class EndpointDirectory {
  /** host:port of control-plane machines, those that answered last first; empty for a name that no cluster has. */
  abstract resolve(endpointHost: string): Promise<readonly string[]>;
}
