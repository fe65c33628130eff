import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Cluster, ClusterMachine, Explain, Operation } from '../api/api-types';
import { CliError } from '../cli-error';
import { writePrivateFile } from '../config/config-file';
import { EXIT } from '../exit-codes';
import { printList, printOne } from '../output/print-result';
import { clusterMachineShape, clusterShape } from '../output/shapes';
import { confirmName, type Confirmation } from '../terminal/confirm-name';
import type { Terminal } from '../terminal/terminal';
import { clusterStatusText, explainText } from './cluster-texts';
import { finishOperation, type WaitFlags } from './finish-operation';
import { durationFlag, openSession, secondsFlag, type Session, type SessionFlags } from './session';

const clusterPath = ({ api }: Session, name: string, rest = ''): string =>
  api.inTenant(`clusters/${encodeURIComponent(name)}${rest}`);

export async function list(terminal: Terminal, flags: SessionFlags): Promise<void> {
  const { api, format, now } = await openSession(terminal, flags);
  await printList(terminal, format, await api.list<Cluster>(api.inTenant('clusters')), clusterShape(now));
}

export async function get(terminal: Terminal, name: string, flags: SessionFlags): Promise<void> {
  const session = await openSession(terminal, flags);
  const cluster = await session.api.get<Cluster>(clusterPath(session, name));
  await printOne(terminal, session.format, cluster, clusterShape(session.now));
}

export async function status(terminal: Terminal, name: string, flags: SessionFlags): Promise<void> {
  const session = await openSession(terminal, flags);
  const { api, format, now } = session;
  const [cluster, machines, operations] = await Promise.all([
    api.get<Cluster>(clusterPath(session, name)),
    api.list<ClusterMachine>(clusterPath(session, name, '/machines')),
    api.list<Operation>(api.inTenant('operations'), { cluster: name }, 1),
  ]);
  const shape = { ...clusterShape(now), name: () => cluster.name, columns: [] };
  const all = { ...cluster, machines, operation: operations[0] ?? null };
  await printOne(terminal, format, all, shape, () => clusterStatusText(all, now));
}

export async function explain(terminal: Terminal, name: string, flags: SessionFlags): Promise<void> {
  const session = await openSession(terminal, flags);
  const answer = await session.api.get<Explain>(clusterPath(session, name, '/explain'));
  const shape = { noun: 'cluster', name: (e: Explain) => e.cluster, columns: [] };
  await printOne(terminal, session.format, answer, shape, explainText);
}

export async function machines(terminal: Terminal, name: string, flags: SessionFlags): Promise<void> {
  const session = await openSession(terminal, flags);
  const found = await session.api.list<ClusterMachine>(clusterPath(session, name, '/machines'));
  await printList(terminal, session.format, found, clusterMachineShape(session.now));
}

export async function remove(
  terminal: Terminal,
  name: string,
  flags: SessionFlags & WaitFlags & Confirmation,
): Promise<void> {
  durationFlag('--timeout', flags.timeout);
  const session = await openSession(terminal, flags);
  await session.api.get<Cluster>(clusterPath(session, name)); // no question about what is not there
  await confirmName(terminal, name, flags);
  return finishOperation(session, await session.api.delete<Operation>(clusterPath(session, name)), flags);
}

/** Overwriting a former kubeconfig of the same cluster is what one wants; losing other clusters never is. */
async function refuseForeignFile(file: string, kubeconfig: string): Promise<void> {
  if (!existsSync(file)) {
    return;
  }
  const { parse } = await import('yaml');
  const namesOf = (text: string): string[] => {
    try {
      const { clusters } = (parse(text) ?? {}) as { clusters?: { name: string }[] };
      return (clusters ?? []).map((cluster) => cluster.name);
    } catch {
      return ['?'];
    }
  };
  const ours = namesOf(kubeconfig);
  const text = readFileSync(file, 'utf8');
  const others = namesOf(text).filter((name) => !ours.includes(name));
  if (others.length > 0 || (text.trim() !== '' && namesOf(text).length === 0)) {
    throw new CliError(`${file} holds something else and is not overwritten`, {
      exitCode: EXIT.conflict,
      why: others.length > 0 ? [`clusters in it: ${others.join(', ')}`] : ['it is no kubeconfig'],
      next: 'choose another --file, or remove this one first',
    });
  }
}

export async function kubeconfig(
  terminal: Terminal,
  name: string,
  flags: SessionFlags & { readonly file?: string; readonly ttl: string },
): Promise<void> {
  const ttlSeconds = secondsFlag('--ttl', flags.ttl);
  const session = await openSession(terminal, flags);
  const issued = await session.api.post<{ kubeconfig: string; expiresAt: string }>(
    clusterPath(session, name, '/kubeconfig'),
    { ttlSeconds },
  );
  if (flags.file === undefined) {
    terminal.out(issued.kubeconfig.endsWith('\n') ? issued.kubeconfig : `${issued.kubeconfig}\n`);
    return;
  }
  const file = path.resolve(terminal.cwd, flags.file);
  await refuseForeignFile(file, issued.kubeconfig);
  try {
    writePrivateFile(file, issued.kubeconfig);
  } catch (error) {
    throw new CliError(`${flags.file} cannot be written`, {
      why: [error instanceof Error ? error.message : String(error)],
    });
  }
  terminal.err(`Wrote ${flags.file}, valid until ${issued.expiresAt}\n`);
  terminal.err(`Next: kubectl --kubeconfig ${flags.file} get nodes\n`);
}
