import { FairShare } from './fair-share';

/** Runs that end when the test says so. */
function slots(count: number, quietMs = 10_000) {
  const running = new Map<string, () => void>();
  const ran: string[] = [];
  const shares = new FairShare(
    count,
    (key) => {
      ran.push(key);
      return new Promise<void>((end) => running.set(key, end));
    },
    quietMs,
  );
  const offer = (tenant: string, ...keys: string[]) => keys.map((key) => shares.offer(key, tenant));
  const end = async (key: string) => {
    running.get(key)?.();
    running.delete(key);
    await new Promise(setImmediate);
  };
  const endAll = async () => {
    while (running.size > 0) {
      await Promise.all([...running.keys()].map(end));
    }
    await shares.stop();
  };
  return { shares, ran, running, offer, end, endAll };
}

describe('fair share', () => {
  test.each([
    { name: 'half of the slots', given: 4, expect: 2 },
    { name: 'rounded up', given: 5, expect: 3 },
    { name: 'never none', given: 1, expect: 1 },
  ])('a tenant has $name', ({ given, expect: share }) => {
    expect(new FairShare(given, () => Promise.resolve()).share).toBe(share);
  });

  test('what is over the share is parked, and its job ends at once', async () => {
    const { ran, offer, endAll } = slots(4);
    const [, , third] = offer('a', 'a1', 'a2', 'a3');
    await third;
    void offer('b', 'b1');
    expect(ran).toEqual(['a1', 'a2', 'b1']);
    await endAll();
  });

  test('a parked key runs when its tenant is below its share', async () => {
    const { ran, offer, end, endAll } = slots(4);
    void offer('a', 'a1', 'a2', 'a3', 'a4');
    await end('a2');
    expect(ran).toEqual(['a1', 'a2', 'a3']);
    await endAll();
  });

  test('when nothing comes any more, parked keys have all slots', async () => {
    const { ran, offer, endAll } = slots(4, 5);
    void offer('a', 'a1', 'a2', 'a3', 'a4', 'a5');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ran).toEqual(['a1', 'a2', 'a3', 'a4']);
    await endAll();
  });

  test('who waits for a slot comes before what is parked; parked tenants take turns', async () => {
    const { ran, offer, end, endAll } = slots(2);
    void offer('a', 'a1', 'a2', 'a3');
    void offer('b', 'b1', 'b2');
    void offer('c', 'c1');
    expect(ran).toEqual(['a1', 'b1']);
    await end('a1');
    await end('b1');
    await end('c1');
    expect(ran).toEqual(['a1', 'b1', 'c1', 'a2', 'b2']);
    await endAll();
    expect(ran).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('a key is parked once', async () => {
    const { ran, offer, endAll } = slots(2);
    void offer('a', 'a1', 'a2', 'a2', 'a2');
    await endAll();
    expect(ran).toEqual(['a1', 'a2']);
  });
});
