import type { Step } from '../../domain/planner/plan';
import { batches } from './take-steps';

const free = (type: string): Step => ({ type, target: '', because: '', disruptive: false, deadlineMs: 1 });
const together = (type: string): Step => ({ ...free(type), parallel: true });
const disruptive = (type: string): Step => ({ ...free(type), disruptive: true });

test.each([
  { name: 'nothing', given: [], expect: [] },
  { name: 'free steps one after another', given: [free('a'), free('b')], expect: ['a', 'b'] },
  {
    name: 'neighbors that say so together',
    given: [together('a'), together('b'), free('c'), together('d')],
    expect: ['ab', 'c', 'd'],
  },
  { name: 'no more than the limit', given: ['a', 'b', 'c', 'd', 'e'].map(together), expect: ['abc', 'de'] },
  {
    name: 'nothing after a disruptive step',
    given: [free('a'), disruptive('b'), free('c'), disruptive('d')],
    expect: ['a', 'b'],
  },
  {
    name: 'a disruptive step alone, whatever it says',
    given: [together('a'), { ...disruptive('b'), parallel: true }],
    expect: ['a', 'b'],
  },
])('takes $name', ({ given, expect: expected }) => {
  expect(batches(given, 3).map((batch) => batch.map((step) => step.type).join(''))).toEqual(expected);
});
