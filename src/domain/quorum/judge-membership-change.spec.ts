import type { EtcdMember, Membership } from './etcd-membership';
import { isQuorate, quorumOf } from './etcd-membership';
import { mayAdd, mayDisrupt, mayRemove, type Verdict } from './judge-membership-change';

const now = new Date('2026-01-01T00:00:00Z');
const calm = { now, changeInFlight: false };

/** 'a b! c? d~ (e)': healthy a, unhealthy b, unknown c, orphan d, learner e. */
function members(text: string): EtcdMember[] {
  return text.split(' ').map((word) => {
    const id = /[a-z]+/.exec(word)?.[0] ?? '';
    const health = word.includes('!') ? 'unhealthy' : word.includes('?') ? 'unknown' : 'healthy';
    const base = { id, name: id, isLearner: word.startsWith('('), health } as const;
    return word.includes('~') ? base : { ...base, machineId: `machine-${id}` };
  });
}
const list = (text: string, alarms: string[] = [], ageMs = 0): Membership => ({
  known: true,
  members: members(text),
  seenAt: new Date(now.getTime() - ageMs),
  alarms,
});
const said = (verdict: Verdict): string => (verdict.allowed ? 'allowed' : verdict.reason);

test.each([
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 3],
  [5, 3],
])('the quorum of %i voters is %i', (voters, quorum) => {
  expect(quorumOf(voters)).toBe(quorum);
});

test.each([
  ['a b c', true],
  ['a b c!', true],
  ['a b! c!', false],
  ['a b! c?', false],
  ['a b~ c~', false],
  ['a (b)', true],
  ['(a)', false],
])('a cluster of [%s] quorate: %s', (text, expected) => {
  expect(isQuorate(members(text))).toBe(expected);
});

test.each([
  { given: 'a b c', remove: 'a', expected: 'allowed' },
  { given: 'a b c!', remove: 'c', expected: 'allowed' },
  { given: 'a b c!', remove: 'a', expected: 'QuorumAtRisk' },
  { given: 'a b! c!', remove: 'c', expected: 'QuorumLost' },
  { given: 'a b c! d!', remove: 'c', expected: 'QuorumLost' },
  { given: 'a b c d!', remove: 'd', expected: 'allowed' },
  { given: 'a b?', remove: 'b', expected: 'QuorumLost' },
  { given: 'a b', remove: 'b', expected: 'allowed' },
  { given: 'a', remove: 'a', expected: 'LastVoter' },
  { given: 'a (b)', remove: 'b', expected: 'allowed' },
  { given: 'a b c (d)', remove: 'a', expected: 'LearnerPending' },
  { given: 'a b c~', remove: 'c', expected: 'allowed' },
  { given: 'a b c', remove: 'z', expected: 'MemberNotFound' },
])('removing $remove from [$given]: $expected', ({ given, remove, expected }) => {
  expect(said(mayRemove(list(given), remove, calm))).toBe(expected);
});

test.each([
  { given: 'a b c', disrupt: 'a', expected: 'allowed' },
  { given: 'a b c!', disrupt: 'a', expected: 'QuorumAtRisk' },
  { given: 'a b c!', disrupt: 'c', expected: 'allowed' },
  { given: 'a b c d e!', disrupt: 'a', expected: 'allowed' },
  { given: 'a b', disrupt: 'a', expected: 'TwoMembers' },
  { given: 'a', disrupt: 'a', expected: 'BackupRequired' },
])('disrupting $disrupt of [$given]: $expected', ({ given, disrupt, expected }) => {
  expect(said(mayDisrupt(list(given), disrupt, { ...calm, singleMemberCovered: false }))).toBe(expected);
});

test('a covered single member may be disrupted', () => {
  expect(said(mayDisrupt(list('a'), 'a', { ...calm, singleMemberCovered: true }))).toBe('allowed');
});

test.each([
  { given: list('a'), expected: 'allowed' },
  { given: list('a b c!'), expected: 'allowed' },
  { given: list('a (b)'), expected: 'LearnerPending' },
  { given: list('a', ['NOSPACE']), expected: 'SpaceAlarm' },
  { given: list('a! b! c'), expected: 'QuorumLost' },
])('adding a member: $expected', ({ given, expected }) => {
  expect(said(mayAdd(given, calm))).toBe(expected);
});

test('what is unknown, stale or in flight is refused, whatever is asked', () => {
  const disagreeing: Membership = { known: false, reason: 'members-disagree' };
  expect(said(mayRemove(disagreeing, 'a', calm))).toBe('MembershipUnknown');
  expect(said(mayDisrupt(list('a b c', [], 10_000), 'a', { ...calm, singleMemberCovered: true }))).toBe(
    'MembershipStale',
  );
  expect(said(mayAdd(list('a b c'), { now, changeInFlight: true }))).toBe('ChangeInFlight');
});

test('a refusal shows its arithmetic', () => {
  expect(mayRemove(list('a b c!'), 'a', calm)).toEqual({
    allowed: false,
    reason: 'QuorumAtRisk',
    arithmetic: { n: 3, healthy: 2, quorum: 2, target: 'a', after: { n: 2, healthy: 1, quorum: 2 } },
  });
});
