import type { SecretsBundle } from '../../domain/machine-config/secrets-bundle';
import type { MachineFacts } from '../../domain/machine/machine-facts';
import type { TalosTarget } from '../../reconcile/ports/talos-machines';
import { isKubernetesReady } from '../kubernetes/kubernetes-readiness';
import { isTransportFailure, wordsOf } from './call-failures';
import { gatherMachineFacts, machineStatus, talosVersion } from './gather-machine-facts';
import { inspectTls } from './inspect-tls';
import { splitEndpoint, TalosConnection, type ClientIdentity } from './talos-connection';

export interface ProbeTools {
  connect(secrets: SecretsBundle): Promise<TalosConnection>;
  /** The cached connection is of no use any more. */
  forget(secrets: SecretsBundle): void;
  kubernetesIdentity(secrets: SecretsBundle): Promise<ClientIdentity>;
}

/** A first contact that brings no answer must leave time to find out why. */
const CONTACT_SHARE = 0.6;

/** Looks at one machine: as its cluster first, as nobody when it does not know us. Never throws. */
export async function probeMachine(
  target: TalosTarget,
  deadline: number,
  tools: ProbeTools,
): Promise<MachineFacts> {
  try {
    return await probe(target, deadline, tools);
  } catch (error) {
    return { contact: 'unreachable', error: wordsOf(error) };
  }
}

async function probe(target: TalosTarget, deadline: number, tools: ProbeTools): Promise<MachineFacts> {
  const { secrets } = target;
  if (secrets === undefined) {
    return lookFromOutside(target, deadline);
  }
  const first = await probeAsCluster({ ...target, secrets }, deadline, tools);
  if (first.facts !== undefined) {
    return first.facts;
  }
  const seen = await lookFromOutside(target, deadline);
  if (seen.contact !== 'unreachable' || !seen.isOurs) {
    return withoutOwnership(seen, first.error);
  }
  // It is ours and listens: the connection at hand was a stale one, from before a restart.
  const second = await probeAsCluster({ ...target, secrets }, deadline, tools);
  return second.facts ?? { contact: 'unreachable', error: second.error };
}

type Attempt = { readonly facts: MachineFacts } | { readonly facts?: undefined; readonly error: string };

async function probeAsCluster(
  target: Required<TalosTarget>,
  deadline: number,
  tools: ProbeTools,
): Promise<Attempt> {
  const connection = await tools.connect(target.secrets);
  const contactDeadline = Date.now() + (deadline - Date.now()) * CONTACT_SHARE;
  try {
    await talosVersion(connection, contactDeadline);
  } catch (error) {
    if (isTransportFailure(error)) {
      tools.forget(target.secrets);
      return { error: wordsOf(error) };
    }
  }
  const [facts, kubernetes] = await Promise.all([
    gatherMachineFacts(connection, target.role, deadline),
    kubernetesFacts(target, deadline, tools),
  ]);
  return { facts: { contact: 'configured', ...facts, ...kubernetes } };
}

async function kubernetesFacts(
  { role, kubernetesEndpoint, secrets }: Required<TalosTarget>,
  deadline: number,
  tools: ProbeTools,
): Promise<Pick<MachineFacts, 'kubernetesReady'>> {
  if (role !== 'control-plane') {
    return {};
  }
  const identity = await tools.kubernetesIdentity(secrets);
  return {
    kubernetesReady: await isKubernetesReady({ ...splitEndpoint(kubernetesEndpoint), ...identity }, deadline),
  };
}

type OutsideView = MachineFacts & { readonly isOurs: boolean };

async function lookFromOutside(
  { talosEndpoint, secrets }: TalosTarget,
  deadline: number,
): Promise<OutsideView> {
  const { door, isOurs, error } = await inspectTls(talosEndpoint, secrets?.certs.os.crt, deadline);
  switch (door) {
    case 'open':
      return { contact: 'maintenance', ...(await maintenanceFacts(talosEndpoint, deadline)), isOurs };
    case 'closed':
      return isOurs ? { contact: 'unreachable', error, isOurs } : { contact: 'foreign', error, isOurs };
    case 'silent':
      return { contact: 'unreachable', error, isOurs };
  }
}

/** Up to Talos 1.12 there is no version in maintenance mode. */
async function maintenanceFacts(endpoint: string, deadline: number): Promise<Omit<MachineFacts, 'contact'>> {
  const connection = TalosConnection.unauthenticated(endpoint);
  try {
    const parts = [machineStatus(connection, deadline), talosVersion(connection, deadline)];
    const [machine, version] = await Promise.all(parts.map((part) => part.catch(() => ({}))));
    return { stage: 'maintenance', ...machine, ...version };
  } finally {
    connection.close();
  }
}

function withoutOwnership({ isOurs: _, ...facts }: OutsideView, error: string): MachineFacts {
  return facts.contact === 'unreachable' ? { ...facts, error } : facts;
}
