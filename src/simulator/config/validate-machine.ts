/** The rules for the `machine` section. */
import { isIP } from 'node:net';
import { asText, roleOf, type ConfigDocument, type InterfaceConfig, type V1Alpha1 } from './node-config';
import { authorityProblems, labelProblem, subnetProblem, taintProblem, TOKEN } from './value-problems';

type Machine = NonNullable<V1Alpha1['machine']>;

const ALLOWED_POD_ROLES = [
  'os:admin',
  'os:operator',
  'os:reader',
  'os:etcd:backup',
  'os:meta:writer',
  'os:image:verifier',
];

export function validateMachine(
  { machine = {} }: V1Alpha1,
  documents: readonly ConfigDocument[],
  talosMinor: number,
  errors: string[],
  warnings: string[],
): void {
  const role = roleOf(machine.type);
  if (role === undefined) {
    errors.push(`unknown machine type "${machine.type ?? ''}"`);
  }
  if (machine.type === 'init' || machine.type === 'join') {
    warnings.push(`use "${role}" instead of "${machine.type}" for machine type`);
  }
  if (!TOKEN.test(machine.token ?? '')) {
    errors.push('machine.token: expected token in the form <6 characters>.<16 characters>');
  }
  validateAuthority(machine, role, errors);
  validateInstall(machine, documents, errors, warnings);
  validateNetwork(machine, role, errors);
  const { features } = machine;
  if (features?.hostDNS?.forwardKubeDNSToHost === true && features.hostDNS.enabled !== true) {
    errors.push('feature hostDNS.forwardKubeDNSToHost requires hostDNS.enabled to be true');
  }
  const access = features?.kubernetesTalosAPIAccess;
  if (access?.enabled === true) {
    if (role === 'worker') {
      errors.push('feature API Access can only be enabled on control plane machines');
    }
    for (const name of access.allowedRoles ?? []) {
      if (!ALLOWED_POD_ROLES.includes(name)) {
        errors.push(`invalid role "${name}" in allowedRoles`);
      }
    }
  }
  if (talosMinor < 12 && machine.features !== undefined && 'apidCheckExtKeyUsage' in machine.features) {
    if ((machine.features as { rbac?: boolean }).rbac === false) {
      warnings.push('features.rbac: false turns authorization off');
    }
  }
  for (const [key, value] of Object.entries(machine.nodeLabels ?? {})) {
    errors.push(...labelProblem('nodeLabels', key, asText(value)));
  }
  for (const [key, value] of Object.entries(machine.nodeTaints ?? {})) {
    errors.push(...taintProblem(key, asText(value)));
  }
}

function validateAuthority(
  machine: Machine,
  role: 'controlplane' | 'worker' | undefined,
  errors: string[],
): void {
  if (machine.ca?.crt === undefined && (machine.acceptedCAs ?? []).length === 0) {
    errors.push(
      'trusted CA certificates are required on machine configuration: .machine.ca or .machine.acceptedCAs',
    );
  }
  if (role === 'controlplane' && !machine.ca?.key) {
    errors.push('issuing Talos API CA key is required for control plane nodes: .machine.ca.key');
  }
  if (role === 'worker' && machine.ca?.key) {
    errors.push('issuing Talos API CA key is not allowed on non-controlplane nodes (.machine.ca)');
  }
  errors.push(...authorityProblems('machine.ca', machine.ca));
  (machine.acceptedCAs ?? []).forEach((ca, i) =>
    errors.push(...authorityProblems(`machine.acceptedCAs[${i}]`, ca)),
  );
}

function validateInstall(
  { install }: Machine,
  documents: readonly ConfigDocument[],
  errors: string[],
  warnings: string[],
): void {
  if (!install) {
    if (!documents.some((d) => d.kind === 'UnattendedInstallConfig')) {
      errors.push('install instructions are required in "metal" mode');
    }
    return;
  }
  if (!install.disk && install.diskSelector === undefined) {
    errors.push('an install disk or disk selector is required in "metal" mode');
  }
  if (install.disk && !install.disk.startsWith('/dev/')) {
    errors.push(`specified disk does not exist: "${install.disk}"`);
  }
  if (install.diskSelector !== undefined && 'name' in install.diskSelector) {
    errors.push('selector on name is not supported');
  }
  if (install.grubUseUKICmdline === true && (install.extraKernelArgs ?? []).length > 0) {
    errors.push("install.extraKernelArgs and install.grubUseUKICmdline can't be used together");
  }
  if ((install.extensions ?? []).length > 0) {
    warnings.push(
      '.machine.install.extensions is deprecated, please see https://www.talos.dev/latest/talos-guides/install/boot-assets/',
    );
  }
}

function validateNetwork(
  { network, kubelet }: Machine,
  role: 'controlplane' | 'worker' | undefined,
  errors: string[],
): void {
  const seen = new Set<string>();
  for (const device of network?.interfaces ?? []) {
    validateInterface(device, seen, role, errors);
  }
  for (const server of network?.nameservers ?? []) {
    if (isIP(asText(server)) === 0) {
      errors.push(`networking.os.device.nameservers: "${asText(server)}": failed to parse IP address`);
    }
  }
  for (const subnet of kubelet?.nodeIP?.validSubnets ?? []) {
    errors.push(...subnetProblem('kubelet nodeIP subnet', subnet.replace(/^!/, '')));
  }
}

function validateInterface(
  device: InterfaceConfig | null,
  seen: Set<string>,
  role: 'controlplane' | 'worker' | undefined,
  errors: string[],
): void {
  if (device === null) {
    return void errors.push('networking.os.device: a null entry');
  }
  const { interface: name, deviceSelector, addresses, vip } = device;
  if ((name === undefined || name === '') === (deviceSelector === undefined)) {
    errors.push('networking.os.device.interface: exactly one of interface and deviceSelector is required');
  }
  if (name !== undefined && seen.has(name)) {
    errors.push(`networking.os.device.interface: "${name}": duplicate definition`);
  }
  if (name !== undefined) {
    seen.add(name);
  }
  for (const address of addresses ?? []) {
    if (isIP(asText(address).split('/')[0] ?? '') === 0) {
      errors.push(`networking.os.device.addresses: "${asText(address)}": invalid address`);
    }
  }
  if (vip !== undefined && role === 'worker') {
    errors.push('virtual (shared) IP is not allowed on non-controlplane nodes');
  }
}
