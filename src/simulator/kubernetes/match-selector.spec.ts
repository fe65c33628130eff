import { fieldMatcher, labelMatcher } from './match-selector';
import { humanDuration } from './human-duration';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', labels: { app: 'web', tier: '' } },
  spec: { nodeName: 'n1' },
};

test.each([
  ['app=web', true],
  ['app==web,tier=', true],
  ['app!=web', false],
  ['app in (api, web)', true],
  ['app notin (web)', false],
  ['other notin (web)', true],
  ['tier', true],
  ['!tier', false],
  ['!other', true],
  ['', true],
])('label selector %p: %p', (selector, matches) => expect(labelMatcher(selector)(POD)).toBe(matches));

test.each([
  ['spec.nodeName=n1', true],
  ['spec.nodeName=n2', false],
  ['status.phase!=Failed,metadata.name=p', true],
])('field selector %p: %p', (selector, matches) => expect(fieldMatcher(selector)(POD)).toBe(matches));

test('what is no selector is refused', () => {
  expect(() => labelMatcher('a in b')).toThrow('unable to parse requirement');
});

test.each([
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [150, '2m30s'],
  [3600, '60m'],
  [10_800, '3h'],
  [12_600, '3h30m'],
  [86_400, '24h'],
  [176_400, '2d1h'],
  [86_400 * 9, '9d'],
  [86_400 * 800, '2y70d'],
])('%p seconds are %p', (seconds, text) => expect(humanDuration(seconds * 1000)).toBe(text));
