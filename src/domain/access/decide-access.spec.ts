import { ACCESS_MATRIX, type AccessKey, type AccessRow } from './access-matrix';
import { decideAccess } from './decide-access';
import { ROLES, isPlatformRole } from './roles';

const rows: readonly AccessRow[] = ACCESS_MATRIX;

describe('decideAccess', () => {
  test('names each resource and verb once', () => {
    const names = rows.map((row) => `${row.resource}:${row.verb}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(
    rows.flatMap((row) => ROLES.map((role) => ({ row, role, name: `${role} ${row.verb} ${row.resource}` }))),
  )('$name', ({ row, role }) => {
    const access = { resource: row.resource, verb: row.verb } as AccessKey;
    const reach = row.reach[role];
    expect(decideAccess({ role, ownTenant: true, access })).toBe(
      reach === undefined ? 'forbidden' : 'allowed',
    );
    const abroad = reach === 'any' ? 'allowed' : 'forbidden';
    expect(decideAccess({ role, ownTenant: false, access })).toBe(isPlatformRole(role) ? abroad : 'hidden');
  });

  test('no role of a tenant reaches beyond its tenant', () => {
    const beyond = rows
      .flatMap((row) => Object.entries(row.reach))
      .filter(([role, reach]) => reach === 'any' && !role.startsWith('platform-'));
    expect(beyond).toEqual([]);
  });

  test('the platform does nothing inside the clusters of a tenant without a support session', () => {
    const inside = rows.filter((row) =>
      ['cluster', 'template', 'kubeconfig', 'operation'].includes(row.resource),
    );
    const reached = inside.filter(
      (row) => row.reach['platform-admin'] !== undefined || row.reach['platform-support'] !== undefined,
    );
    expect(reached).toEqual([]);
  });
});
