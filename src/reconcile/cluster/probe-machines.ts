/** Looks at the machines of one cluster before its snapshot is built. A machine that does not answer is a fact, not an error. */
import type { SecretsBundle } from '../../domain/machine-config/secrets-bundle';
import type { TalosMachines } from '../ports/talos-machines';
import type { ClusterRows, MachineRow } from './cluster-rows';
import type { SeenFacts } from './cluster-store';

/** Facts of a cluster in motion are taken again after this; of a settled one after the longer time. */
const MOVING_FACTS_MS = 500;
const SETTLED_FACTS_MS = 20_000;

export interface ProbeTerms {
  readonly now: () => Date;
  readonly secrets: SecretsBundle | undefined;
}

export async function probeMachines(
  talos: TalosMachines,
  rows: ClusterRows,
  terms: ProbeTerms,
): Promise<SeenFacts[]> {
  const { cluster } = rows;
  const maxAgeMs =
    cluster.state === 'Ready' && cluster.observedGeneration === cluster.generation
      ? SETTLED_FACTS_MS
      : MOVING_FACTS_MS;
  const due = rows.machines.filter((m) => isDue(m, terms.now(), maxAgeMs));
  return Promise.all(
    due.map(async (machine) => {
      const role = rows.sets.find((s) => s.id === machine.setId)?.role ?? 'worker';
      const { talosEndpoint, kubernetesEndpoint } = machine;
      const facts = await talos.probe({
        talosEndpoint,
        kubernetesEndpoint,
        role,
        ...(terms.secrets && { secrets: terms.secrets }),
      });
      return { machineId: machine.id, facts, at: terms.now() };
    }),
  );
}

function isDue(machine: MachineRow, now: Date, maxAgeMs: number): boolean {
  return (
    !machine.gone && (machine.factsAt === undefined || now.getTime() - machine.factsAt.getTime() >= maxAgeMs)
  );
}

/** The rows as they are with what was just seen. */
export function withFacts(rows: ClusterRows, seen: readonly SeenFacts[]): ClusterRows {
  const machines = rows.machines.map((machine) => {
    const fresh = seen.find((s) => s.machineId === machine.id);
    return fresh === undefined ? machine : { ...machine, facts: fresh.facts, factsAt: fresh.at };
  });
  return { ...rows, machines };
}
