/** The rules for the `cluster` section. */
import { keyParses } from '../pki/certificates';
import { decodePem, roleOf, type V1Alpha1 } from './node-config';
import { authorityProblems, isDnsName, subnetProblem, TOKEN } from './value-problems';

type Cluster = NonNullable<V1Alpha1['cluster']>;

export function validateCluster(
  { machine, cluster = {} }: V1Alpha1,
  errors: string[],
  warnings: string[],
): void {
  validateEndpoint(cluster, errors);
  const domain = cluster.network?.dnsDomain;
  if (domain !== undefined && domain !== '' && !isDnsName(domain)) {
    errors.push(`"${domain}" is not a valid DNS name`);
  }
  if (!TOKEN.test(cluster.token ?? '')) {
    errors.push('cluster.token: expected token in the form <6 characters>.<16 characters>');
  }
  for (const subnet of cluster.network?.podSubnets ?? []) {
    errors.push(...subnetProblem('podSubnets', subnet));
  }
  for (const subnet of cluster.network?.serviceSubnets ?? []) {
    errors.push(...subnetProblem('serviceSubnets', subnet));
  }
  errors.push(...authorityProblems('cluster.ca', cluster.ca));
  (cluster.acceptedCAs ?? []).forEach((ca, i) =>
    errors.push(...authorityProblems(`cluster.acceptedCAs[${i}]`, ca)),
  );
  const role = roleOf(machine?.type);
  if (role === 'controlplane') {
    validateControlPlane(cluster, errors, warnings);
  }
  if (role === 'worker') {
    validateWorker(cluster, errors);
  }
  validateDiscovery(cluster, errors);
  const names = (cluster.inlineManifests ?? []).map((manifest) => manifest.name ?? '');
  if (names.includes('')) {
    errors.push("inline manifest name can't be empty");
  }
  if (new Set(names).size !== names.length) {
    errors.push('inline manifest name is duplicate');
  }
}

function validateEndpoint(cluster: Cluster, errors: string[]): void {
  const text = cluster.controlPlane?.endpoint;
  if (text === undefined || text === '') {
    return void errors.push('cluster controlplane endpoint is required');
  }
  if (
    !URL.canParse(text) ||
    !['https:', 'http:'].includes(new URL(text).protocol) ||
    new URL(text).host === ''
  ) {
    errors.push(`invalid controlplane endpoint: "${text}"`);
  }
}

function validateControlPlane(cluster: Cluster, errors: string[], warnings: string[]): void {
  const cni = cluster.network?.cni?.name;
  if (cni !== undefined && !['flannel', 'custom', 'none'].includes(cni)) {
    errors.push('cni name should be one of [custom,flannel,none]');
  }
  if (cni === 'custom' && (cluster.network?.cni?.urls ?? []).length === 0) {
    warnings.push('"urls" are empty for "custom" CNI');
  }
  for (const [path, ca] of [
    ['cluster.ca', cluster.ca],
    ['cluster.aggregatorCA', cluster.aggregatorCA],
    ['cluster.etcd.ca', cluster.etcd?.ca],
  ] as const) {
    if (!ca?.crt || !ca.key) {
      errors.push(`${path} is required on control plane nodes`);
    } else if (path !== 'cluster.ca') {
      errors.push(...authorityProblems(path, ca));
    }
  }
  const key = cluster.serviceAccount?.key;
  if (!key || !keyParses(decodePem(key))) {
    errors.push('cluster.serviceAccount.key: failed to parse private key');
  }
  const secrets = [cluster.secretboxEncryptionSecret, cluster.aescbcEncryptionSecret].filter(Boolean);
  if (secrets.length === 0) {
    errors.push('an encryption secret is required: cluster.secretboxEncryptionSecret');
  }
  for (const secret of secrets) {
    if (Buffer.from(secret ?? '', 'base64').length !== 32) {
      errors.push('the encryption secret must be 32 bytes in base64');
    }
  }
  const { authorizationConfig, extraArgs } = cluster.apiServer ?? {};
  if (
    (authorizationConfig ?? []).length > 0 &&
    Object.keys(extraArgs ?? {}).some((arg) => arg.startsWith('authorization-'))
  ) {
    errors.push(
      'authorizationConfig cannot be used together with authorization-mode or authorization-webhook-* extraArgs',
    );
  }
}

function validateWorker(cluster: Cluster, errors: string[]): void {
  if (cluster.ca?.key) {
    errors.push('issuing Kubernetes API CA key is not allowed on non-controlplane nodes (.cluster.ca)');
  }
  if (cluster.aggregatorCA?.key) {
    errors.push('aggregator CA key is not allowed on non-controlplane nodes (.cluster.aggregatorCA)');
  }
  if (cluster.etcd !== undefined) {
    errors.push('etcd configuration is not allowed on non-controlplane nodes (.cluster.etcd)');
  }
}

function validateDiscovery(cluster: Cluster, errors: string[]): void {
  const { discovery } = cluster;
  if (discovery?.enabled !== true || discovery.registries?.service?.disabled === true) {
    return;
  }
  const endpoint = discovery.registries?.service?.endpoint;
  if (endpoint !== undefined && endpoint !== '') {
    if (!URL.canParse(endpoint)) {
      errors.push(`cluster discovery service endpoint is invalid: "${endpoint}"`);
    } else if (!['', '/'].includes(new URL(endpoint).pathname)) {
      errors.push('cluster discovery service path should be empty');
    }
  }
  if (!cluster.id) {
    errors.push('cluster discovery service requires .cluster.id');
  }
  if (Buffer.from(cluster.secret ?? '', 'base64').length !== 32) {
    errors.push('cluster discovery service requires .cluster.secret');
  }
}
