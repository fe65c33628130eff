export interface KubeconfigRequest {
  readonly clusterId: string;
  readonly clusterName: string;
  /** Name under which the gateway routes to the cluster; the kubeconfig carries it as tls-server-name. */
  readonly endpointHost: string;
  /** Becomes the common name of the client certificate, and so the user in the cluster's own audit log. */
  readonly userName: string;
  readonly ttlSeconds: number;
}

export interface IssuedKubeconfig {
  /** YAML. */
  readonly kubeconfig: string;
  readonly expiresAt: Date;
}

/** Makes a short-lived kubeconfig from the cluster's own CA. */
export abstract class KubeconfigIssuer {
  /** Throws CLUSTER_NOT_READY while the cluster has no secrets yet. */
  abstract issue(request: KubeconfigRequest): Promise<IssuedKubeconfig>;
}
