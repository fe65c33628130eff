/** Checks what agents send; every fault names its field. Limits keep one agent from filling the database. */
import type { InventoryItem } from '../../domain/provider/judge-inventory';
import { DomainError, type Violation } from '../../domain/shared/errors';
import type { Machine } from '../../generated/proto/quorate/provider/v1/provider';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;
const ADDRESS = /^[0-9a-fA-F:.]{2,45}$/;
const ENDPOINT = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]{1,253}):([0-9]{1,5})$/;
const MAX_ADDRESSES = 32;
export const MAX_INVENTORY = 5_000;
const TALOS_PORT = 50_000;
const KUBERNETES_PORT = 6_443;

const fault = (path: string, reason: string, remedy: string): Violation => ({
  path,
  code: 'FIELD_INVALID',
  reason,
  remedy,
});

function refuse(path: string, reason: string, remedy: string): never {
  throw new DomainError('invalid', 'REQUEST_INVALID', 'the request is not valid', {
    violations: [fault(path, reason, remedy)],
  });
}

export function readUuid(path: string, value: string): string {
  return UUID.test(value)
    ? value.toLowerCase()
    : refuse(path, 'It is no UUID.', 'Send the UUID in its 36-character form.');
}

/** Name of an agent: a DNS label or several. */
export function readName(path: string, value: string): string {
  return NAME.test(value)
    ? value
    : refuse(
        path,
        'It is no DNS name of at most 63 characters.',
        'Use lower-case letters, digits, "-" and ".".',
      );
}

export function readText(path: string, value: string, maxLength: number): string {
  return value.length <= maxLength
    ? value
    : refuse(path, `It is longer than ${maxLength} characters.`, 'Shorten it.');
}

export function readAtMost<T>(path: string, values: readonly T[], limit: number): readonly T[] {
  return values.length <= limit ? values : refuse(path, `There are more than ${limit}.`, 'Send fewer.');
}

export function readGivenText(path: string, value: string, maxLength: number): string {
  return value === '' ? refuse(path, 'It is empty.', 'Send it.') : readText(path, value, maxLength);
}

function readEndpoint(path: string, value: string, [first]: readonly string[], port: number): string {
  const endpoint =
    value === '' && first !== undefined ? `${first.includes(':') ? `[${first}]` : first}:${port}` : value;
  const [, , digits] = ENDPOINT.exec(endpoint) ?? [];
  return Number(digits) > 0 && Number(digits) < 65_536
    ? endpoint
    : refuse(path, 'It is no host:port.', 'Send host:port, or nothing and at least one address.');
}

export function readMachine(path: string, machine: Machine | undefined): InventoryItem {
  if (machine === undefined) {
    return refuse(path, 'It is missing.', 'Describe the machine that was made.');
  }
  const { addresses } = machine;
  if (addresses.length > MAX_ADDRESSES || !addresses.every((address) => ADDRESS.test(address))) {
    return refuse(
      `${path}.addresses`,
      'It is no list of at most 32 IP addresses.',
      'Send IP addresses without port.',
    );
  }
  return {
    ref: readGivenText(`${path}.machine_ref`, machine.machineRef, 200),
    machineId: readUuid(`${path}.machine_id`, machine.machineId),
    addresses,
    talosEndpoint: readEndpoint(`${path}.talos_endpoint`, machine.talosEndpoint, addresses, TALOS_PORT),
    kubernetesEndpoint: readEndpoint(
      `${path}.kubernetes_endpoint`,
      machine.kubernetesEndpoint,
      addresses,
      KUBERNETES_PORT,
    ),
  };
}

export function readInventory(machines: readonly Machine[]): InventoryItem[] {
  return machines.length <= MAX_INVENTORY
    ? machines.map((machine, index) => readMachine(`machines[${index}]`, machine))
    : refuse('machines', `There are more than ${MAX_INVENTORY}.`, 'Split the fleet over several providers.');
}
