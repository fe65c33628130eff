/** `cluster status` and `cluster explain` for people: problems first, healthy things in one line. */
import type { Cluster, ClusterMachine, Condition, Explain, Operation } from '../api/api-types';
import { relativeAge } from '../output/relative-age';

export interface ClusterStatus extends Cluster {
  readonly machines: readonly ClusterMachine[];
  readonly operation: Operation | null;
}

function conditionLines(conditions: readonly Condition[]): string[] {
  const bad = conditions.filter((c) => c.status !== 'True');
  const good = conditions.filter((c) => c.status === 'True').map((c) => c.type);
  return [
    ...bad.map((c) => `  ${c.status === 'False' ? '✗' : '?'} ${c.type} (${c.reason}): ${c.message}`),
    ...(good.length === 0 ? [] : [`  ✓ ${good.join(', ')}`]),
  ];
}

function machineLines(machines: readonly ClusterMachine[]): string[] {
  const sets = [...new Set(machines.map((m) => m.set))];
  return sets.flatMap((set) => {
    const members = machines.filter((m) => m.set === set);
    const ready = members.filter((m) => m.ready).length;
    const missing = members.filter((m) => !m.ready);
    return [
      `  ${set}: ${ready}/${members.length} ready`,
      ...missing.map((m) => `    ✗ ${m.name} ${m.state}${m.message === '' ? '' : `: ${m.message}`}`),
    ];
  });
}

export function clusterStatusText(status: ClusterStatus, now: number): string {
  const { name, state, managed, size, talosVersion, kubernetesVersion, operation } = status;
  const lines = [
    `${name}: ${state}  (${managed ? `managed ${size ?? ''}` : 'own machines'}, Talos ${talosVersion}, Kubernetes ${kubernetesVersion})`,
    'Conditions',
    ...conditionLines(status.conditions),
    'Machines',
    ...(status.machines.length === 0 ? ['  none yet'] : machineLines(status.machines)),
    ...(operation === null
      ? []
      : [
          `Operation ${operation.id}: ${operation.kind} ${operation.state}, ${relativeAge(operation.createdAt, now)} ago`,
        ]),
  ];
  return `${lines.join('\n')}\n`;
}

function arithmetic(values: Readonly<Record<string, unknown>> | undefined): string {
  return values === undefined ? '' : `  ${JSON.stringify(values)}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

export function explainText(explain: Explain): string {
  const lines = [
    `${explain.cluster}: ${explain.state}. ${explain.summary}`,
    ...section(
      'Next',
      explain.next.map((step) => `${step.type} ${step.target}: ${step.because}`),
    ),
    ...section(
      'Waiting',
      explain.waiting.map((wait) => `${wait.on}: ${wait.message}`),
    ),
    ...section(
      'Refused',
      explain.refused.map((r) => `${r.action} ${r.target}: ${r.reason}${arithmetic(r.arithmetic)}`),
    ),
    ...(explain.conditions.length === 0 ? [] : ['Conditions', ...conditionLines(explain.conditions)]),
  ];
  return `${lines.join('\n')}\n`;
}
