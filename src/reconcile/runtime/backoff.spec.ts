import { backoffMs, SLOW_RESYNC_MS, slowResyncMs } from './backoff';

const least = () => 0;
const most = () => 1;

test.each([
  { failures: 0, between: [500, 1_000] },
  { failures: 1, between: [1_000, 2_000] },
  { failures: 5, between: [16_000, 32_000] },
  { failures: 9, between: [150_000, 300_000] },
  { failures: 1_000, between: [150_000, 300_000] },
])('after $failures earlier failures a pass waits between $between ms', ({ failures, between }) => {
  expect([backoffMs(failures, least), backoffMs(failures, most)]).toEqual(between);
});

test('the slow resync drifts by a fifth', () => {
  expect([slowResyncMs(least), slowResyncMs(most)]).toEqual([SLOW_RESYNC_MS * 0.8, SLOW_RESYNC_MS * 1.2]);
});
