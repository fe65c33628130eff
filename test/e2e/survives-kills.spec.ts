/** Whatever is killed, whenever: the cluster that was asked for is there in the end, once, and goes without a trace. */
import { Installation, READY_MS, until } from './support/installation';

const TEMPLATE = (name: string, size: string): string => `
kind: Cluster
name: ${name}
kubernetes: { version: v1.36.3 }
talos: { version: v1.13.9 }
---
kind: ControlPlane
managed: { enabled: true, size: ${size} }
`;

interface ClusterBody {
  readonly state: string;
}

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.start();
}, READY_MS);
afterAll(() => installation.remove(), READY_MS);

const sync = (name: string, size = 'm'): Promise<{ status: number }> =>
  until(`${name} is accepted`, READY_MS, async () => {
    const body = JSON.stringify({ template: TEMPLATE(name, size) });
    const answer = await installation.api('/tenants/demo/templates:sync', { method: 'POST', body });
    return answer.status < 500 ? answer : undefined;
  });

const ready = (name: string): Promise<true> =>
  until(`${name} is Ready`, READY_MS, async () => {
    const { body } = await installation.api(`/tenants/demo/clusters/${name}`);
    return (body as ClusterBody).state === 'Ready' ? true : undefined;
  });

const gone = (name: string): Promise<true> =>
  until(`${name} is gone`, READY_MS, async () => {
    const { status } = await installation.api(`/tenants/demo/clusters/${name}`);
    return status === 404 ? true : undefined;
  });

interface Facts {
  readonly etcd: { readonly members: { id: string; isLearner: boolean }[] };
}

async function expectOneCluster(name: string, machines: number): Promise<void> {
  const rows = await installation.sql<{ facts: Facts; provider_machine_ref: string }>(
    'SELECT m.facts, m.provider_machine_ref FROM machines m JOIN clusters c ON c.id = m.cluster_id WHERE c.name = $1',
    [name],
  );
  const lists = new Set(
    rows.map((row) =>
      row.facts.etcd.members
        .map((m) => `${m.id}${m.isLearner ? ' learner' : ''}`)
        .sort()
        .join(),
    ),
  );
  const inCloud = (await installation.cloudMachines('platform')).filter((m) => m.ref.startsWith(`${name}-`));
  expect({
    rows: rows.length,
    inCloud: inCloud.length,
    memberLists: lists.size,
    members: [...lists][0]?.split(',').length,
  }).toEqual({
    rows: machines,
    inCloud: machines,
    memberLists: 1,
    members: machines,
  });
}

async function expectNothingLeft(name: string): Promise<void> {
  const [left] = await installation.sql(
    `SELECT (SELECT count(*) FROM clusters WHERE name = $1)::int AS clusters,
            (SELECT count(*) FROM machine_requests WHERE name LIKE $1 || '-%')::int AS requests,
            (SELECT count(*) FROM machines WHERE provider_machine_ref LIKE $1 || '-%')::int AS machines,
            (SELECT count(*) FROM machine_sets s WHERE NOT EXISTS (SELECT FROM clusters c WHERE c.id = s.cluster_id))::int AS sets,
            (SELECT count(*) FROM machine_request_sets s WHERE NOT EXISTS (SELECT FROM clusters c WHERE c.id = s.cluster_id))::int AS request_sets,
            (SELECT count(*) FROM secrets s WHERE cluster_id IS NOT NULL AND NOT EXISTS (SELECT FROM clusters c WHERE c.id = s.cluster_id))::int AS secrets,
            (SELECT count(*) FROM step_journal s WHERE NOT EXISTS (SELECT FROM clusters c WHERE c.id = s.cluster_id))::int AS steps,
            (SELECT count(*) FROM cluster_machines s WHERE NOT EXISTS (SELECT FROM clusters c WHERE c.id = s.cluster_id))::int AS projections,
            (SELECT count(*) FROM config_patches s WHERE NOT EXISTS (SELECT FROM clusters c WHERE c.id = s.cluster_id))::int AS patches`,
    [name],
  );
  const inCloud = (await installation.cloudMachines('platform')).filter((m) => m.ref.startsWith(`${name}-`));
  const nothing = {
    clusters: 0,
    requests: 0,
    machines: 0,
    sets: 0,
    request_sets: 0,
    secrets: 0,
    steps: 0,
    projections: 0,
    patches: 0,
    inCloud: 0,
  };
  expect({ ...left, inCloud: inCloud.length }).toEqual(nothing);
}

/** Seeded, so that a failing run can be repeated: E2E_SEED. */
const seed = Number(process.env['E2E_SEED'] ?? Date.now() % 100_000);
function* randoms(): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}
const random = randoms();
const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

test(
  `the server is killed at ten random moments while a three-machine cluster is built (seed ${seed})`,
  async () => {
    await sync('killed');
    for (let kill = 0; kill < 10; kill++) {
      await pause(random.next().value * 1_500);
      await installation.killAndAwaitRestart('server');
    }
    await ready('killed');
    await expectOneCluster('killed', 3);
  },
  5 * READY_MS,
);

test(
  'the agent is killed while it holds leases: its work is taken over, and nothing is made twice',
  async () => {
    await sync('orphaned');
    await until('an agent holds a lease', READY_MS, async () => {
      const held = await installation.sql(
        `SELECT 1 FROM machine_requests WHERE name LIKE 'orphaned-%' AND lease_holder IS NOT NULL AND phase IN ('Claimed', 'Provisioning')`,
      );
      return held.length > 0 ? true : undefined;
    });
    installation.kill('agent-platform');
    await ready('orphaned');
    await expectOneCluster('orphaned', 3);
  },
  5 * READY_MS,
);

test(
  'a ready cluster is deleted although the server is killed in the middle, and its name is free again',
  async () => {
    const answer = await installation.api('/tenants/demo/clusters/orphaned', { method: 'DELETE' });
    expect(answer.status).toBe(202);
    for (let kill = 0; kill < 3; kill++) {
      await pause(random.next().value * 1_000);
      await installation.killAndAwaitRestart('server');
    }
    await gone('orphaned');
    await expectNothingLeft('orphaned');
    await sync('orphaned', 'xs');
    await ready('orphaned');
  },
  5 * READY_MS,
);

test(
  'a cluster that is still being built is deleted',
  async () => {
    await sync('short-lived');
    await until('its machines are being made', READY_MS, async () => {
      const rows = await installation.sql(
        `SELECT 1 FROM machine_requests WHERE name LIKE 'short-lived-%' AND phase <> 'Pending'`,
      );
      return rows.length > 0 ? true : undefined;
    });
    const answer = await installation.api('/tenants/demo/clusters/short-lived', { method: 'DELETE' });
    expect(answer.status).toBe(202);
    await gone('short-lived');
    await expectNothingLeft('short-lived');
  },
  5 * READY_MS,
);

test(
  'after Ctrl-C and a new start everything is as it was',
  async () => {
    expect(await installation.stop()).toBe(0);
    await installation.boot();
    await ready('killed');
    await expectOneCluster('killed', 3);
  },
  5 * READY_MS,
);
