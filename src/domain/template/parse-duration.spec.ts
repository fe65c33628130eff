import { parseDuration } from './parse-duration';

test.each([
  ['1h', 3600],
  ['6h0m0s', 21600],
  ['1.5h', 5400],
  ['90s', 90],
  ['500ms', 0.5],
  ['0', 0],
  ['0s', 0],
])('%s is %d seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each(['', '1', 'h', '1d', '1h ', '-1h', '1,5h', 'hourly'])('"%s" is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
