import type { Operation, SyncPreview, SyncedTemplate, TemplateStatus, Violation } from '../api/api-types';
import { violationLine } from '../api/read-problem';
import { usageError } from '../cli-error';
import { waitForOperation } from '../operation/wait-for-operation';
import { printOne, type Shape } from '../output/print-result';
import { readTemplate } from '../template/read-template';
import { clusterNameOf } from '../template/referenced-files';
import { confirmName, type Confirmation } from '../terminal/confirm-name';
import type { Terminal } from '../terminal/terminal';
import { finishOperation, type WaitFlags } from './finish-operation';
import { durationFlag, openSession, type Session, type SessionFlags } from './session';

interface FileFlags extends SessionFlags {
  readonly file: string;
}

const SIGNS = { added: '+', removed: '-', changed: '~' } as const;

function previewText({ cluster, managed, action, changes }: SyncPreview): string {
  const kind = managed ? 'managed cluster' : 'cluster';
  if (action === 'none') {
    return `${kind} ${cluster} is already what the template says\n`;
  }
  const lines = changes.map(({ path, change, before, after }) => {
    const value = change === 'changed' ? `${before ?? ''} -> ${after ?? ''}` : (after ?? before ?? '');
    return `  ${SIGNS[change]} ${path}${value === '' ? '' : `: ${value}`}\n`;
  });
  return `would ${action} ${kind} ${cluster}\n${lines.join('')}`;
}

const PREVIEW: Shape<SyncPreview> = { noun: 'cluster', name: (p) => p.cluster, columns: [] };
const STATUS: Shape<TemplateStatus> = { noun: 'cluster', name: (s) => s.cluster, columns: [] };

function warn(terminal: Terminal, warnings: readonly Violation[]): void {
  warnings.forEach((warning) => terminal.err(`Warning: ${violationLine(warning)}\n`));
}

async function printPreview(
  { terminal, format }: Session,
  preview: SyncPreview,
  text: string,
): Promise<void> {
  warn(terminal, preview.warnings);
  await printOne(terminal, format, preview, PREVIEW, () => text);
}

export async function validate(terminal: Terminal, flags: FileFlags): Promise<void> {
  const session = await openSession(terminal, flags);
  const body = await readTemplate(terminal, flags.file);
  const preview = await session.api.post<SyncPreview>(session.api.inTenant('templates:validate'), body);
  await printPreview(session, preview, `${body.fileName} is valid (cluster ${preview.cluster})\n`);
}

export async function sync(
  terminal: Terminal,
  flags: FileFlags & WaitFlags & { readonly dryRun?: boolean },
): Promise<void> {
  durationFlag('--timeout', flags.timeout);
  const session = await openSession(terminal, flags);
  const body = await readTemplate(terminal, flags.file);
  const path = session.api.inTenant('templates:sync');
  if (flags.dryRun === true) {
    const preview = await session.api.post<SyncPreview>(path, body, { query: { dryRun: 'true' } });
    return printPreview(session, preview, previewText(preview));
  }
  const { warnings, ...operation } = await session.api.post<SyncedTemplate>(path, body);
  warn(terminal, warnings);
  return finishOperation(session, operation, flags);
}

function statusText({ cluster, exists, inSync, status, operation }: TemplateStatus): string {
  if (!exists || status === null) {
    return `${cluster}: does not exist\n`;
  }
  const lines = [
    `${cluster}: ${status.state}, ${inSync ? 'in sync with the template' : 'not what the template says'}`,
    ...status.conditions
      .filter((c) => c.status !== 'True')
      .map((c) => `  ${c.type} ${c.status} ${c.reason}: ${c.message}`),
    ...(operation === null ? [] : [`  operation ${operation.id}: ${operation.kind} ${operation.state}`]),
  ];
  return `${lines.join('\n')}\n`;
}

export async function status(terminal: Terminal, flags: FileFlags & WaitFlags): Promise<void> {
  const timeoutMs = durationFlag('--timeout', flags.timeout);
  const session = await openSession(terminal, flags);
  const body = await readTemplate(terminal, flags.file);
  const read = (): Promise<TemplateStatus> =>
    session.api.post(session.api.inTenant('templates:status'), body);
  const first = await read();
  if (flags.wait !== true || first.operation === null) {
    return printOne(terminal, session.format, first, STATUS, statusText);
  }
  await waitForOperation(session.api, terminal, first.operation, { timeoutMs });
  return printOne(terminal, session.format, await read(), STATUS, statusText);
}

export async function remove(terminal: Terminal, flags: FileFlags & WaitFlags & Confirmation): Promise<void> {
  durationFlag('--timeout', flags.timeout);
  const session = await openSession(terminal, flags);
  const body = await readTemplate(terminal, flags.file);
  const name = clusterNameOf(body.template);
  if (name === undefined) {
    throw usageError(
      `${body.fileName} does not name exactly one cluster`,
      `quorate template validate -f ${flags.file}`,
    );
  }
  await confirmName(terminal, name, flags);
  const operation = await session.api.post<Operation>(session.api.inTenant('templates:delete'), body);
  return finishOperation(session, operation, flags);
}
