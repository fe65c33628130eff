import { BoundedCache } from './bounded-cache';

describe('BoundedCache', () => {
  const make = (maxEntries: number) => {
    const evicted: string[] = [];
    const clock = { now: 0 };
    const cache = new BoundedCache<string>({
      maxEntries,
      maxAgeMs: 100,
      now: () => clock.now,
      onEvict: (v) => evicted.push(v),
    });
    return { cache, clock, evicted };
  };

  it('drops the one not used for longest', () => {
    const { cache, evicted } = make(2);
    cache.set('a', 'A');
    cache.set('b', 'B');
    cache.get('a');
    cache.set('c', 'C');
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['A', undefined, 'C']);
    expect(evicted).toEqual(['B']);
  });

  it('drops what is too old, however often it was used', () => {
    const { cache, clock, evicted } = make(2);
    cache.set('a', 'A');
    clock.now = 99;
    expect(cache.get('a')).toBe('A');
    clock.now = 100;
    expect(cache.get('a')).toBeUndefined();
    expect(evicted).toEqual(['A']);
  });

  it('tells of each value that leaves exactly once', () => {
    const { cache, evicted } = make(2);
    cache.set('a', 'A');
    cache.set('a', 'A2');
    cache.delete('a');
    cache.delete('a');
    cache.set('b', 'B');
    cache.clear();
    expect(evicted).toEqual(['A', 'A2', 'B']);
    expect(cache.size).toBe(0);
  });
});
