import type { AddressInfo } from 'node:net';
import { createHealthServer } from './health-endpoints';
import { HealthRegistry } from './health-registry';

async function serve(health: HealthRegistry): Promise<{ url: string; close: () => void }> {
  const server = createHealthServer({ health, metrics: () => Promise.resolve('up 1\n') });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${String(port)}`, close: () => server.close() };
}

describe('readiness', () => {
  it('is false before everything has started and after stopping began', async () => {
    const health = new HealthRegistry();
    expect((await health.readiness()).ready).toBe(false);
    health.setServing(true);
    expect((await health.readiness()).ready).toBe(true);
    health.setServing(false);
    expect((await health.readiness()).ready).toBe(false);
  });

  it('names the check that fails, and hangs on none', async () => {
    const health = new HealthRegistry();
    health.setServing(true);
    health.register('database', () => Promise.reject(new Error('password wrong for 10.0.0.1')));
    health.register('queue', () => Promise.resolve());
    health.register('throws', () => {
      throw new Error('at once');
    });
    expect(await health.readiness()).toEqual({
      ready: false,
      checks: { serving: 'ok', database: 'failed', queue: 'ok', throws: 'failed' },
    });
  });

  it('counts a check that does not answer as failed', async () => {
    jest.useFakeTimers();
    const health = new HealthRegistry();
    health.setServing(true);
    health.register('database', () => new Promise(() => undefined));
    const readiness = health.readiness();
    await jest.advanceTimersByTimeAsync(2000);
    expect((await readiness).ready).toBe(false);
    jest.useRealTimers();
  });
});

describe('health server', () => {
  it.each([
    ['/healthz', 200, '"ok"'],
    ['/readyz', 503, '"serving":"failed"'],
    ['/metrics', 200, 'up 1'],
    ['/api/v1/tenants', 404, 'not found'],
  ])('answers %s with %i', async (path, status, text) => {
    const { url, close } = await serve(new HealthRegistry());
    const answer = await fetch(url + path);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain(text);
    close();
  });
});
