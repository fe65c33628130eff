import * as fc from 'fast-check';
import { machineHostname } from './machine-hostname';

const ID = '01a22f7d-7025-75f2-979f-3497dfb07b44';

test.each([
  [['shop', 'cp'], 'shop-cp-3497dfb07b44'],
  [['My_Shop'], 'my-shop-3497dfb07b44'],
  [['-a', 'cp'], 'a-cp-3497dfb07b44'],
  [['__proto__', 'cp'], 'proto---cp-3497dfb07b44'],
  [['_'], 'm-3497dfb07b44'],
  [['a'.repeat(63), 'workers'], `${'a'.repeat(48)}-3497dfb07b44`],
])('%j', (names, hostname) => {
  expect(machineHostname(names, ID)).toBe(hostname);
});

test('every name that a cluster or a set may have gives a DNS label, and no two ids the same', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,63}$/);
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 2 }), fc.uuid(), (names, id) => {
      const hostname = machineHostname(names, id);
      expect(hostname).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
      expect(hostname.endsWith(id.replaceAll('-', '').slice(-12))).toBe(true);
    }),
  );
});
