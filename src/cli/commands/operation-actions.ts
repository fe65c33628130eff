import type { Event, Operation, Options } from '../api/api-types';
import { usageError } from '../cli-error';
import { waitForOperation } from '../operation/wait-for-operation';
import { headline } from '../operation/operation-ladder';
import { printList, printOne } from '../output/print-result';
import { bytes } from '../output/relative-age';
import { eventShape, operationShape } from '../output/shapes';
import type { Terminal } from '../terminal/terminal';
import { durationFlag, openSession, type Session, type SessionFlags } from './session';

interface ListFlags extends SessionFlags {
  readonly cluster?: string;
  readonly limit: string;
}

function limitOf({ limit }: ListFlags): number {
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1) {
    throw usageError(`--limit ${limit} is not a number of rows`);
  }
  return count;
}

const read = ({ api }: Session, id: string): Promise<Operation> =>
  api.get<Operation>(api.inTenant(`operations/${encodeURIComponent(id)}`));

export async function list(terminal: Terminal, flags: ListFlags): Promise<void> {
  const limit = limitOf(flags);
  const { api, format, now } = await openSession(terminal, flags);
  const found = await api.list<Operation>(api.inTenant('operations'), { cluster: flags.cluster }, limit);
  await printList(terminal, format, found, operationShape(now));
}

function operationText(operation: Operation): string {
  const { error, message } = operation;
  const lines = [
    headline(operation),
    ...operation.steps.map((s) => `  ${s.name} ${s.state}${s.message === '' ? '' : `: ${s.message}`}`),
    ...(error === null ? [] : [`  error ${error.code}: ${error.message}`]),
    ...(message === '' ? [] : [`  ${message}`]),
  ];
  return `${lines.join('\n')}\n`;
}

export async function get(terminal: Terminal, id: string, flags: SessionFlags): Promise<void> {
  const session = await openSession(terminal, flags);
  await printOne(
    terminal,
    session.format,
    await read(session, id),
    operationShape(session.now),
    operationText,
  );
}

export async function watch(
  terminal: Terminal,
  id: string,
  flags: SessionFlags & { readonly timeout: string },
): Promise<void> {
  const timeoutMs = durationFlag('--timeout', flags.timeout);
  const session = await openSession(terminal, flags);
  const operation = await waitForOperation(session.api, terminal, await read(session, id), { timeoutMs });
  await printOne(terminal, session.format, operation, operationShape(session.now), (o) => `${headline(o)}\n`);
}

export async function events(terminal: Terminal, flags: ListFlags): Promise<void> {
  const limit = limitOf(flags);
  const { api, format, now } = await openSession(terminal, flags);
  const found = await api.list<Event>(api.inTenant('events'), { cluster: flags.cluster }, limit);
  await printList(terminal, format, found, eventShape(now));
}

/** One line per minor, newest first; `-o json` lists every version. */
function talosLines({ talosVersions }: Options): string[] {
  const minorOf = (version: string): string => version.split('.', 2).join('.');
  const newestFirst = [...talosVersions].reverse();
  const minors = [...new Set(newestFirst.map((v) => minorOf(v.version)))];
  return minors.map((minor) => {
    const [newest, ...older] = newestFirst.filter((v) => minorOf(v.version) === minor);
    const range =
      newest === undefined ? '' : `Kubernetes ${newest.kubernetes.min} to ${newest.kubernetes.max}`;
    const more = older.length === 0 ? '' : `, and ${older.length} older of ${minor}`;
    return `  ${newest?.version ?? minor}  (${range}${more})`;
  });
}

function optionsText(options: Options): string {
  const lines = [
    `Managed control planes: ${options.managedControlPlanes ? 'on' : 'off'}`,
    `Providers for them: ${options.providers.join(', ') || 'none'}`,
    'Sizes',
    ...options.sizes.map(
      (s) =>
        `  ${s.name}: ${s.machines} x ${s.cpus} CPU, ${bytes(s.memoryBytes)} memory, ${bytes(s.diskBytes)} disk`,
    ),
    'Talos versions',
    ...talosLines(options),
  ];
  return `${lines.join('\n')}\n`;
}

export async function options(terminal: Terminal, flags: SessionFlags): Promise<void> {
  const { api, format } = await openSession(terminal, flags);
  const shape = { noun: 'options', name: () => 'installation', columns: [] };
  await printOne(terminal, format, await api.get<Options>('options'), shape, optionsText);
}
