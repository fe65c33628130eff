import { status } from '@grpc/grpc-js';
import { AffiliateRegistry, RegistryRefused } from './affiliate-registry';

const MINUTE = 60_000;
let now = 0;
let registry: AffiliateRegistry;

beforeEach(() => {
  now = 1_000;
  registry = new AffiliateRegistry(() => now);
});

function put(affiliateId: string, over: { ttlMs?: number; data?: Buffer; endpoints?: Buffer[] } = {}): void {
  registry.update({
    clusterId: 'c',
    affiliateId,
    data: Buffer.from('x'),
    endpoints: [],
    ttlMs: 30 * MINUTE,
    ...over,
  });
}

function refused(act: () => void): status | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof RegistryRefused) {
      return error.code;
    }
    throw error;
  }
  return undefined;
}

test('affiliates are listed until their time is over, and can be deleted', () => {
  put('a', { ttlMs: MINUTE });
  put('b');
  expect(registry.list('c').map(({ id }) => id)).toEqual(['a', 'b']);
  now += MINUTE;
  expect(registry.list('c').map(({ id }) => id)).toEqual(['b']);
  registry.delete('c', 'b');
  expect(registry.list('c')).toEqual([]);
});

test('an update without data only adds endpoints, each with its own end', () => {
  put('a', { endpoints: [Buffer.from('one')], ttlMs: MINUTE });
  registry.update({ clusterId: 'c', affiliateId: 'a', endpoints: [Buffer.from('two')], ttlMs: 2 * MINUTE });
  expect(registry.list('c')[0]?.endpoints.map(String)).toEqual(['one', 'two']);
  now += MINUTE;
  expect(registry.list('c')[0]).toMatchObject({ data: Buffer.from('x') });
  expect(registry.list('c')[0]?.endpoints.map(String)).toEqual(['two']);
});

test('the limits of the public service hold', () => {
  expect(refused(() => put(''))).toBe(status.INVALID_ARGUMENT);
  expect(refused(() => put('x'.repeat(257)))).toBe(status.INVALID_ARGUMENT);
  expect(refused(() => put('a', { data: Buffer.alloc(2049) }))).toBe(status.INVALID_ARGUMENT);
  expect(refused(() => put('a', { endpoints: [Buffer.alloc(33)] }))).toBe(status.INVALID_ARGUMENT);
  expect(refused(() => put('a', { ttlMs: 0 }))).toBe(status.INVALID_ARGUMENT);
  expect(refused(() => put('a', { ttlMs: 31 * MINUTE }))).toBe(status.INVALID_ARGUMENT);
  const endpoints = Array.from({ length: 65 }, (_, i) => Buffer.from(String(i)));
  expect(refused(() => put('a', { endpoints }))).toBe(status.RESOURCE_EXHAUSTED);
  for (let i = 0; i < 1024; i += 1) {
    put(`a-${i}`);
  }
  expect(refused(() => put('one-too-many'))).toBe(status.RESOURCE_EXHAUSTED);
});
