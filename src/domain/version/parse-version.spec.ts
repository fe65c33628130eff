import { compareVersions, isPrerelease, minorOf, minorsUp, readVersion, sameVersion } from './parse-version';

test.each([
  ['v1.13.4', '1.13.4', true],
  ['1.13.4', '1.13.4', true],
  ['1.30', '1.30', false],
  ['v1.7', '1.7', false],
  ['v1.12.0-alpha.2-6-g64a46a7', '1.12.0-alpha.2-6-g64a46a7', true],
  ['1.13.4+vendor.7', '1.13.4+vendor.7', true],
])('%s is read as %s, full: %s', (written, text, full) => {
  expect(readVersion(written)).toMatchObject({ text, full });
});

test.each([
  '',
  'v',
  'vv1.2.3',
  'vN.2',
  'v1.3.0gamma.0',
  '1.2.3.4',
  '01.2.3',
  '1.2.3-01',
  ' 1.2.3',
  '1.2.x',
  '=1.2.3',
])('"%s" is no version', (written) => {
  expect(readVersion(written)).toBeUndefined();
});

test.each([
  ['1.9.0', '<', '1.10.0'],
  ['1.13.0-rc.1', '<', '1.13.0'],
  ['1.13.0-alpha.2', '<', '1.13.0-beta.0'],
  ['v1.34.1', '=', '1.34.1'],
  ['1.13.4+a', '=', '1.13.4+b'],
  ['1.30', '=', '1.30.0'],
  ['1.12.0-alpha.2-6-g64a46a7', '<', '1.12.0'],
])('%s %s %s', (a, sign, b) => {
  const order = compareVersions(a, b);
  expect(order < 0 ? '<' : order > 0 ? '>' : '=').toBe(sign);
  expect(sameVersion(a, b)).toBe(sign === '=');
});

test('minors and pre-releases', () => {
  expect(minorOf('v1.13.4')).toBe('1.13');
  expect(minorsUp('1.12.9', '1.14.0')).toBe(2);
  expect(minorsUp('1.12.9', '2.0.0')).toBeUndefined();
  expect(isPrerelease('1.13.0-rc.1')).toBe(true);
  expect(isPrerelease('1.13.0+rc.1')).toBe(false);
});

test('comparing with what is no version is a fault of the caller', () => {
  expect(() => compareVersions('1.2.3', 'latest')).toThrow(TypeError);
});
