import { jsonPatch, mergePatch, strategicMergePatch } from './merge-patches';
import { applyConfiguration } from './server-side-apply';

describe('merge patch', () => {
  test.each([
    ['sets and keeps', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    ['removes by null', { a: 1, b: 2 }, { a: null }, { b: 2 }],
    ['goes deep', { a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
    ['replaces lists', { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ])('%s', (_, target, patch, result) => expect(mergePatch(target, patch)).toEqual(result));
});

describe('strategic merge patch', () => {
  const taints = [{ key: 'a' }, { key: 'b', effect: 'NoSchedule' }];
  test.each([
    [
      'merges lists by key',
      { taints },
      { taints: [{ key: 'b', effect: 'NoExecute' }] },
      { taints: [{ key: 'a' }, { key: 'b', effect: 'NoExecute' }] },
    ],
    ['deletes from lists', { taints }, { taints: [{ $patch: 'delete', key: 'a' }] }, { taints: [taints[1]] }],
    [
      'replaces whole lists',
      { taints },
      { taints: [{ $patch: 'replace' }, { key: 'c' }] },
      { taints: [{ key: 'c' }] },
    ],
    [
      'deletes plain values',
      { finalizers: ['x', 'y'] },
      { '$deleteFromPrimitiveList/finalizers': ['x'] },
      { finalizers: ['y'] },
    ],
  ])('%s', (_, target, patch, result) => expect(strategicMergePatch(target, patch)).toEqual(result));
});

test('JSON patch adds, replaces, removes, and tests first', () => {
  const steps = [
    { op: 'test', path: '/a~1b', value: 1 },
    { op: 'replace', path: '/a~1b', value: 2 },
    { op: 'add', path: '/list/-', value: 'z' },
    { op: 'remove', path: '/list/0' },
  ];
  expect(jsonPatch({ 'a/b': 1, list: ['x'] }, steps)).toEqual({ 'a/b': 2, list: ['z'] });
  expect(() => jsonPatch({ a: 1 }, [{ op: 'test', path: '/a', value: 2 }])).toThrow('testing /a failed');
});

describe('server-side apply', () => {
  const config = (data: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c', namespace: 'n' },
    data,
  });
  const by = (manager: string, force = false) => ({ manager, force, now: '2026-01-01T00:00:00Z' });

  test('removes what a manager no longer applies, and leaves others alone', () => {
    const first = applyConfiguration(undefined, config({ a: '1', b: '2' }), by('one'));
    const second = applyConfiguration(first, config({ c: '3' }), by('two'));
    expect(applyConfiguration(second, config({ a: '1' }), by('one'))['data']).toEqual({ a: '1', c: '3' });
  });

  test('refuses another value for a field of somebody else, unless forced', () => {
    const first = applyConfiguration(undefined, config({ a: '1' }), by('one'));
    expect(() => applyConfiguration(first, config({ a: '2' }), by('two'))).toThrow(
      'conflict with "one": .data.a',
    );
    expect(applyConfiguration(first, config({ a: '2' }), by('two', true))['data']).toEqual({ a: '2' });
  });

  test('applying the same again changes nothing', () => {
    const first = applyConfiguration(undefined, config({ a: '1' }), by('one'));
    expect(applyConfiguration(first, config({ a: '1' }), { ...by('one'), now: 'later' })).toEqual(first);
  });
});
