/** What Talos requires of a complete config beyond known keys: each rule says why a machine would refuse it. */
import { identityOf, isMap, valueAt, type ConfigMap, type ConfigValue } from './config-document';

export interface Finding {
  readonly path: string;
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
}

const isFilled = (value: ConfigValue | undefined): boolean =>
  value !== undefined && value !== null && value !== '';

const finding = (path: string, code: string, reason: string, remedy: string): Finding => ({
  path,
  code,
  reason,
  remedy,
});

const REQUIRED = ['machine.type', 'machine.token', 'cluster.controlPlane.endpoint', 'cluster.token'];
const REQUIRED_OF_CONTROL_PLANES = [
  'machine.ca.crt',
  'machine.ca.key',
  'cluster.ca.crt',
  'cluster.ca.key',
  'cluster.aggregatorCA.crt',
  'cluster.aggregatorCA.key',
  'cluster.serviceAccount.key',
  'cluster.etcd.ca.crt',
  'cluster.etcd.ca.key',
];
const FORBIDDEN_ON_WORKERS = [
  'machine.ca.key',
  'cluster.ca.key',
  'cluster.aggregatorCA.key',
  'cluster.serviceAccount.key',
  'cluster.etcd',
];
const IMAGES = [
  'machine.kubelet',
  'cluster.apiServer',
  'cluster.controllerManager',
  'cluster.scheduler',
  'cluster.proxy',
];

export function checkV1Alpha1(document: ConfigMap): Finding[] {
  const type = valueAt(document, 'machine.type');
  return [
    ...missing(document, REQUIRED),
    ...(type === 'controlplane' ? checkControlPlane(document) : []),
    ...(type === 'worker' || type === 'join' ? checkWorker(document) : []),
    ...checkType(type),
    ...checkInstall(document),
    ...checkEndpoint(valueAt(document, 'cluster.controlPlane.endpoint')),
    ...checkDiscovery(document),
    ...IMAGES.flatMap((section) => checkImage(document, `${section}.image`)),
    ...checkPersist(document),
  ];
}

function missing(document: ConfigMap, paths: readonly string[]): Finding[] {
  return paths
    .filter((path) => !isFilled(valueAt(document, path)))
    .map((path) => finding(path, 'CONFIG_FIELD_MISSING', 'is required', 'Set it.'));
}

function checkType(type: ConfigValue | undefined): Finding[] {
  return ['controlplane', 'worker', 'join', 'init', undefined].includes(type as string | undefined)
    ? []
    : [finding('machine.type', 'CONFIG_VALUE_INVALID', 'is no machine type', 'Use controlplane or worker.')];
}

function checkControlPlane(document: ConfigMap): Finding[] {
  const secrets = ['cluster.secretboxEncryptionSecret', 'cluster.aescbcEncryptionSecret'];
  const given = secrets.filter((path) => isFilled(valueAt(document, path)));
  const encryption =
    given.length === 1
      ? []
      : [
          finding(
            secrets[0] ?? '',
            'CONFIG_FIELD_MISSING',
            'exactly one encryption secret is required',
            'Set one.',
          ),
        ];
  return [...missing(document, REQUIRED_OF_CONTROL_PLANES), ...encryption];
}

function checkWorker(document: ConfigMap): Finding[] {
  const trust =
    isFilled(valueAt(document, 'machine.ca.crt')) || isFilled(valueAt(document, 'machine.acceptedCAs'));
  return [
    ...FORBIDDEN_ON_WORKERS.filter((path) => isFilled(valueAt(document, path))).map((path) =>
      finding(path, 'CONFIG_FIELD_FORBIDDEN', 'must not be on a worker', 'Remove it.'),
    ),
    ...(trust
      ? []
      : [finding('machine.ca', 'CONFIG_FIELD_MISSING', 'trusted CA certificates are required', 'Set it.')]),
  ];
}

function checkInstall(document: ConfigMap): Finding[] {
  const install = valueAt(document, 'machine.install');
  if (!isMap(install) || !(isFilled(install['disk']) || isFilled(install['diskSelector']))) {
    return [
      finding('machine.install', 'CONFIG_FIELD_MISSING', 'a disk or a disk selector is required', 'Set one.'),
    ];
  }
  const args = install['extraKernelArgs'];
  const clash = Array.isArray(args) && args.length > 0 && install['grubUseUKICmdline'] === true;
  return clash
    ? [
        finding(
          'machine.install.extraKernelArgs',
          'CONFIG_CONFLICT',
          'excludes grubUseUKICmdline',
          'Put kernel arguments into the schematic.',
        ),
      ]
    : [];
}

function checkEndpoint(endpoint: ConfigValue | undefined): Finding[] {
  const isUrl =
    typeof endpoint === 'string' && /^https:\/\/(\[[0-9a-fA-F:.]+\]|[^/:\s]+)(:\d+)?\/?$/.test(endpoint);
  return !isFilled(endpoint) || isUrl
    ? []
    : [
        finding(
          'cluster.controlPlane.endpoint',
          'CONFIG_VALUE_INVALID',
          'is no https URL of host and port',
          'Use https://host:port.',
        ),
      ];
}

function checkDiscovery(document: ConfigMap): Finding[] {
  const at = 'cluster.discovery.registries.service.endpoint';
  const endpoint = valueAt(document, at);
  const isOn = valueAt(document, 'cluster.discovery.enabled') === true;
  return [
    ...(isOn ? missing(document, ['cluster.id', 'cluster.secret']) : []),
    ...(typeof endpoint === 'string' && !/^https?:\/\/[^/]+\/?$/.test(endpoint)
      ? [finding(at, 'CONFIG_VALUE_INVALID', 'must be an http(s) URL without a path', 'Use https://host/.')]
      : []),
  ];
}

/** From 1.11 on the machine reads the Kubernetes version from the tag, even beside a digest. */
function checkImage(document: ConfigMap, path: string): Finding[] {
  const image = valueAt(document, path);
  return typeof image !== 'string' || image === '' || /:v\d+\.\d+\.\d+[^@/]*(@|$)/.test(image)
    ? []
    : [
        finding(
          path,
          'CONFIG_VALUE_INVALID',
          'carries no version tag',
          'Name the image with its tag :vX.Y.Z.',
        ),
      ];
}

function checkPersist(document: ConfigMap): Finding[] {
  return document['persist'] === false
    ? [finding('persist', 'CONFIG_VALUE_INVALID', 'false is not supported', 'Remove it.')]
    : [];
}

/** Documents that say the same thing twice. */
export function checkTogether(documents: readonly ConfigMap[]): Finding[] {
  const v1alpha1 = documents.find((d) => identityOf(d).kind === '') ?? {};
  const hostname = documents.find((d) => identityOf(d).kind === 'HostnameConfig');
  if (hostname === undefined) {
    return [];
  }
  const auto = hostname['auto'];
  const both = isFilled(hostname['hostname']) && isFilled(auto) && auto !== 'off';
  const doubled =
    isFilled(valueAt(v1alpha1, 'machine.network.hostname')) ||
    valueAt(v1alpha1, 'machine.features.stableHostname') === true;
  return [
    ...(both
      ? [
          finding(
            'HostnameConfig.auto',
            'CONFIG_CONFLICT',
            'excludes a fixed hostname',
            'Set auto: off, or leave the hostname out.',
          ),
        ]
      : []),
    ...(doubled
      ? [
          finding(
            'HostnameConfig',
            'CONFIG_CONFLICT',
            'the host name is already set in the v1alpha1 config',
            'Set it once.',
          ),
        ]
      : []),
  ];
}
