/** The secrets of one cluster, in the shape of Talos's secrets.yaml. Values are PEM text, not base64. */

export interface CertificateAndKey {
  /** PEM with its trailing newline. */
  readonly crt: string;
  /** PEM; Ed25519 keys carry Talos's label `ED25519 PRIVATE KEY`. */
  readonly key: string;
}

export interface SecretsBundle {
  readonly cluster: { readonly id: string; readonly secret: string };
  readonly bootstrapToken: string;
  readonly secretboxEncryptionSecret: string;
  readonly trustdToken: string;
  readonly certs: {
    readonly etcd: CertificateAndKey;
    readonly k8s: CertificateAndKey;
    readonly k8sAggregator: CertificateAndKey;
    /** RSA 4096, PKCS#1 PEM. */
    readonly k8sServiceAccountKey: string;
    readonly os: CertificateAndKey;
  };
}
