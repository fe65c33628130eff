import { Logger } from '@nestjs/common';
import { Lifecycle, type Part, type Stage } from './lifecycle';

function recorder(): {
  calls: string[];
  part: (name: string, stage: Stage, fails?: 'start' | 'stop') => Part;
} {
  const calls: string[] = [];
  const call = (what: string, fail: boolean): Promise<void> => {
    calls.push(what);
    return fail ? Promise.reject(new Error(what)) : Promise.resolve();
  };
  return {
    calls,
    part: (name, stage, fails) => ({
      name,
      stage,
      start: () => call(`start ${name}`, fails === 'start'),
      stop: () => call(`stop ${name}`, fails === 'stop'),
    }),
  };
}

describe('lifecycle', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('starts stage by stage and stops in the opposite order, whatever the order of registration', async () => {
    const { calls, part } = recorder();
    const lifecycle = new Lifecycle();
    lifecycle.register(part('http', 'http'));
    lifecycle.register(part('reconcile', 'workers'));
    lifecycle.register(part('prisma', 'database'));
    lifecycle.register(part('provider door', 'gateways'));
    lifecycle.register(part('relay', 'relay'));
    await lifecycle.start();
    await lifecycle.stop();
    const order = ['prisma', 'relay', 'provider door', 'reconcile', 'http'];
    expect(calls).toEqual([...order.map((n) => `start ${n}`), ...order.reverse().map((n) => `stop ${n}`)]);
  });

  it('stops what has started when a later part does not start', async () => {
    const { calls, part } = recorder();
    const lifecycle = new Lifecycle();
    lifecycle.register(part('prisma', 'database'));
    lifecycle.register(part('door', 'gateways', 'start'));
    lifecycle.register(part('http', 'http'));
    await expect(lifecycle.start()).rejects.toThrow('start door');
    expect(calls).toEqual(['start prisma', 'start door', 'stop door', 'stop prisma']);
  });

  it('goes on stopping past a part that fails, and only once', async () => {
    const { calls, part } = recorder();
    const lifecycle = new Lifecycle();
    lifecycle.register(part('http', 'http', 'stop'));
    lifecycle.register(part('prisma', 'database'));
    await lifecycle.start();
    await Promise.all([lifecycle.stop(), lifecycle.stop()]);
    expect(calls.filter((c) => c.startsWith('stop'))).toEqual(['stop http', 'stop prisma']);
  });
});
