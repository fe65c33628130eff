import type { AppPrisma } from './prisma-clients';
import { PrismaTenantUnitOfWork } from './prisma-tenant-unit-of-work';

const failing = (code: string, meta?: object): AppPrisma =>
  ({
    $transaction: () => Promise.reject(Object.assign(new Error('x'), { code, meta })),
  }) as unknown as AppPrisma;

test.each([
  { code: 'P2028', kind: 'unavailable' },
  { code: 'P2024', kind: 'unavailable' },
  { code: 'P2002', kind: undefined },
])('an error $code of the database is told as $kind', async ({ code, kind }) => {
  const run = new PrismaTenantUnitOfWork(failing(code)).run('t', () => Promise.resolve());
  await expect(run).rejects.toMatchObject(kind === undefined ? { code } : { kind, code: 'UNAVAILABLE' });
});

test('a deadlock in a raw statement is one of them', async () => {
  const run = new PrismaTenantUnitOfWork(failing('P2010', { code: '40P01' })).run('t', () =>
    Promise.resolve(),
  );
  await expect(run).rejects.toMatchObject({ kind: 'unavailable' });
});
