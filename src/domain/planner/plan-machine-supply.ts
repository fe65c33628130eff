/**
 * Gives each machine set its machines: one request set per set, exactly as many requests as replicas, and for sets of
 * named machines their allocation. A set that is too large gives up what costs least first.
 */
import { choosesFirst } from './choose-surplus-request';
import { step, type ClusterStep } from './cluster-step';
import { planMachineEnd } from './plan-machine-end';
import type { Contribution } from './cluster-plan';
import type { ClusterSnapshot, MachineRequestView, MachineSetView } from './cluster-snapshot';

export function planMachineSupply(snapshot: ClusterSnapshot): Contribution {
  const parts = snapshot.sets.map((set) => planSet(snapshot, set));
  return { steps: parts.flatMap((p) => p.steps), waiting: parts.flatMap((p) => p.waiting) };
}

function planSet(snapshot: ClusterSnapshot, set: MachineSetView): Contribution {
  const isEmpty =
    !snapshot.machines.some((m) => m.setId === set.id) && !snapshot.requests.some((r) => r.setId === set.id);
  if (set.retired && isEmpty) {
    return {
      steps: [
        step('ForgetMachineSet', set.name, 'the template no longer names it and it is empty', {
          setId: set.id,
        }),
      ],
      waiting: [],
    };
  }
  return set.sourceKind === 'machines' ? planNamed(snapshot, set) : planRequested(snapshot, set);
}

function planNamed(snapshot: ClusterSnapshot, set: MachineSetView): Contribution {
  const wanted = snapshot.wanted.filter((w) => w.setId === set.id);
  const steps = wanted
    .filter((w) => w.availability === 'free')
    .map(({ machineId, hostname }) =>
      step('AllocateMachine', hostname, `the template names it for set ${set.name}`, {
        machineId,
        setId: set.id,
        hostname,
      }),
    );
  const waiting = wanted
    .filter((w) => w.availability === 'absent' || w.availability === 'taken')
    .map((w) => ({
      on: `machine ${w.machineId}`,
      message: w.availability === 'absent' ? 'it has not been seen yet' : 'it belongs to another cluster',
    }));
  const ends = planUnwanted(snapshot, set);
  return {
    steps: [...steps, ...ends.flatMap((p) => p.steps)],
    waiting: [...waiting, ...ends.flatMap((p) => p.waiting)],
  };
}

/** A worker that the template no longer names is wiped and given back. Control planes lose members by the rules of scaling only. */
function planUnwanted(snapshot: ClusterSnapshot, set: MachineSetView): Contribution[] {
  const named = new Set(set.wantedMachineIds);
  const unwanted =
    set.role === 'worker' ? snapshot.machines.filter((m) => m.setId === set.id && !named.has(m.id)) : [];
  return unwanted.map((m) => planMachineEnd(snapshot, m, undefined, snapshot.now));
}

const isAlive = (request: MachineRequestView): boolean => request.deprovisionRequestedAt === undefined;

function planRequested(snapshot: ClusterSnapshot, set: MachineSetView): Contribution {
  if (set.requestSet === undefined) {
    return set.supply === undefined
      ? {
          steps: [],
          waiting: [{ on: `set ${set.name}`, message: 'its machine class or provider does not exist' }],
        }
      : {
          steps: [
            step('CreateRequestSet', set.name, 'the set has no machine request set', { setId: set.id }),
          ],
          waiting: [],
        };
  }
  const requestSetId = set.requestSet.id;
  const requests = snapshot.requests.filter((r) => r.setId === set.id);
  const alive = requests.filter(isAlive);
  const steps: ClusterStep[] = [];
  if (set.requestSet.replicas !== set.replicas) {
    const because = `the set asks for ${set.replicas} machines, the request set for ${set.requestSet.replicas}`;
    steps.push(
      step('ResizeRequestSet', set.name, because, { setId: set.id, requestSetId, replicas: set.replicas }),
    );
  }
  const missing = set.replicas - alive.length;
  if (missing > 0) {
    const because = `${alive.length} of ${set.replicas} machines are requested`;
    steps.push(step('CreateRequests', set.name, because, { setId: set.id, requestSetId, count: missing }));
  }
  return { steps: [...steps, ...planSurplus(snapshot, set, alive)], waiting: waitingForProvider(alive) };
}

/** Only worker sets shrink here: a member of a control plane leaves by the rules of scaling, one at a time. */
function planSurplus(
  snapshot: ClusterSnapshot,
  set: MachineSetView,
  alive: readonly MachineRequestView[],
): readonly ClusterStep[] {
  const surplus = alive.length - set.replicas;
  if (surplus <= 0 || set.role === 'control-plane') {
    return [];
  }
  const order = [...alive].sort(choosesFirst(snapshot));
  const because = `the set has ${surplus} machines more than the ${set.replicas} it asks for`;
  return order.slice(0, surplus).map((r) => step('RequestDeprovision', r.name, because, { requestId: r.id }));
}

function waitingForProvider(alive: readonly MachineRequestView[]): Contribution['waiting'] {
  return alive
    .filter((r) => r.machineId === undefined)
    .map((r) => ({
      on: r.name,
      message: r.givenUp
        ? 'the provider cannot make this machine'
        : r.phase === 'Failed'
          ? 'the provider failed and will try again'
          : `the machine is being made (${r.phase})`,
    }));
}
