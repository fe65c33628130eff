/** Checks what agents send; every fault names its field. Limits keep one agent from filling the database. */
import { isIP } from 'node:net';
import type { InventoryItem } from '../../domain/provider/judge-inventory';
import { DomainError, type Violation } from '../../domain/shared/errors';
import type { Machine, ProviderPatch } from '../../generated/proto/quorate/provider/v1/provider';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;
const ENDPOINT = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]{1,253}):([0-9]{1,5})$/;
/** PostgreSQL takes no NUL, and no log and no terminal wants the others. */
const CONTROL = /[\p{Cc}\p{Cs}]/u;
const CONTROLS = /[\p{Cc}\p{Cs}]+/gu;
const MAX_ADDRESSES = 32;
const MAX_PATCH = 65_536;
const MAX_PATCHES = 20;
const MAX_FENCING_TOKEN = 2n ** 63n - 1n;
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
  return CONTROL.test(value)
    ? refuse(path, 'It holds a control character.', 'Remove it.')
    : readLines(path, value, maxLength);
}

/** Of several lines, for instance PEM or YAML. */
export function readLines(path: string, value: string, maxLength: number): string {
  if (value.includes('\0')) {
    return refuse(path, 'It holds a NUL character.', 'Remove it.');
  }
  return value.length <= maxLength
    ? value
    : refuse(path, `It is longer than ${maxLength} characters.`, 'Shorten it.');
}

/** Words for people are cut and never refused: a report must not be lost because the infrastructure said too much. */
export function readWords(value: string, maxLength: number): string {
  const words = value.replace(CONTROLS, ' ').trim();
  return words.length <= maxLength ? words : `${words.slice(0, maxLength - 1).replace(CONTROL, '')}…`;
}

/** No lease ever had a token above what the database counts to. */
export function readFencingToken(path: string, value: bigint): bigint {
  return value <= MAX_FENCING_TOKEN
    ? value
    : refuse(path, 'It is no token of a lease.', 'Send the token that the claim was answered with.');
}

export function readAtMost<T>(path: string, values: readonly T[], limit: number): readonly T[] {
  return values.length <= limit ? values : refuse(path, `There are more than ${limit}.`, 'Send fewer.');
}

/** Equal names would leave open which of two patches wins. */
export function readPatches(
  patches: readonly ProviderPatch[],
): readonly { readonly name: string; readonly content: string }[] {
  const names = new Set<string>();
  return readAtMost('patches', patches, MAX_PATCHES).map((patch, index) => {
    const path = `patches[${index}]`;
    const name = readGivenText(`${path}.name`, patch.name, 100);
    if (names.has(name)) {
      return refuse(`${path}.name`, 'An earlier patch has it.', 'Give each patch a name of its own.');
    }
    names.add(name);
    return { name, content: readGivenLines(`${path}.content_yaml`, patch.contentYaml, MAX_PATCH) };
  });
}

export function readGivenText(path: string, value: string, maxLength: number): string {
  return value === '' ? refuse(path, 'It is empty.', 'Send it.') : readText(path, value, maxLength);
}

export function readGivenLines(path: string, value: string, maxLength: number): string {
  return value === '' ? refuse(path, 'It is empty.', 'Send it.') : readLines(path, value, maxLength);
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
  if (addresses.length > MAX_ADDRESSES || addresses.some((address) => isIP(address) === 0)) {
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
