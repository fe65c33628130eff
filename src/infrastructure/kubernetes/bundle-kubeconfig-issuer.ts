import { stringify } from 'yaml';
import type { CertificateAndKey } from '../../domain/machine-config/secrets-bundle';
import { DomainError } from '../../domain/shared/errors';
import {
  KubeconfigIssuer,
  type IssuedKubeconfig,
  type KubeconfigRequest,
} from '../../modules/clusters/ports/kubeconfig-issuer';
import type { ClusterSecrets } from '../../reconcile/ports/cluster-secrets';
import { CertificateAuthority } from '../pki/certificate-authority';

export interface BundleKubeconfigIssuerOptions {
  readonly secrets: ClusterSecrets;
  readonly now: () => Date;
  /** host:port of the gateway. */
  readonly gatewayAddress: string;
}

/** Past RBAC, as the admin kubeconfig of Talos: the tenant owns its cluster. */
const GROUPS = ['system:masters'];

/** Signs with the CA of the secrets bundle; the cluster itself need not answer. */
export class BundleKubeconfigIssuer extends KubeconfigIssuer {
  constructor(private readonly options: BundleKubeconfigIssuerOptions) {
    super();
  }

  async issue(request: KubeconfigRequest): Promise<IssuedKubeconfig> {
    const { secrets, now, gatewayAddress } = this.options;
    if (!(await secrets.has(request.clusterId))) {
      throw new DomainError('refused', 'CLUSTER_NOT_READY', 'the cluster has no certificates yet');
    }
    const { certs } = await secrets.load(request.clusterId);
    const at = now();
    const ttlMs = request.ttlSeconds * 1000;
    const ca = await CertificateAuthority.load(certs.k8s);
    const client = await ca.issue({
      commonName: request.userName,
      organizations: GROUPS,
      usage: 'client',
      now: at,
      ttlMs,
    });
    return {
      kubeconfig: kubeconfigText(request, `https://${gatewayAddress}`, certs.k8s.crt, client),
      expiresAt: new Date(at.getTime() + ttlMs),
    };
  }
}

/** The gateway is reached by its own address and routes by the cluster's name: hence tls-server-name. */
function kubeconfigText(
  { clusterName, endpointHost, userName }: KubeconfigRequest,
  server: string,
  ca: string,
  client: CertificateAndKey,
): string {
  const user = `${userName}@${clusterName}`;
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: clusterName,
          cluster: {
            server,
            'tls-server-name': endpointHost,
            'certificate-authority-data': base64(ca),
          },
        },
      ],
      users: [
        {
          name: user,
          user: { 'client-certificate-data': base64(client.crt), 'client-key-data': base64(client.key) },
        },
      ],
      contexts: [{ name: user, context: { cluster: clusterName, namespace: 'default', user } }],
      'current-context': user,
    },
    { lineWidth: 0 },
  );
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
