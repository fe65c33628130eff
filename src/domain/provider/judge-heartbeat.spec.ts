import { judgeHeartbeat } from './judge-heartbeat';

const now = new Date('2027-01-01T12:00:00Z');
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);

test.each([
  { last: null, health: 'NeverSeen' },
  { last: ago(0), health: 'Healthy' },
  { last: ago(30), health: 'Healthy' },
  { last: ago(31), health: 'Degraded' },
  { last: ago(120), health: 'Degraded' },
  { last: ago(121), health: 'Offline' },
])('$last is $health', ({ last, health }) => {
  expect(judgeHeartbeat(last, now)).toBe(health);
});
