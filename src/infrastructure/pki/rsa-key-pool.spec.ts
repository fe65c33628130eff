import { createPrivateKey } from 'node:crypto';
import { RsaKeyPool } from './rsa-key-pool';

describe('RsaKeyPool', () => {
  it('gives different keys, also to many at once', async () => {
    const pool = new RsaKeyPool({ size: 2, modulusLength: 1024 });
    pool.start();
    const keys = await Promise.all(Array.from({ length: 6 }, () => pool.take()));
    pool.close();
    expect(new Set(keys).size).toBe(6);
  });

  it('makes keys of 4096 bits without holding up the event loop', async () => {
    const pool = new RsaKeyPool({ size: 0 });
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 10);
    const key = await pool.take();
    clearInterval(timer);
    pool.close();
    expect(createPrivateKey(key).asymmetricKeyDetails?.modulusLength).toBe(4096);
    expect(longest).toBeLessThan(1000);
  }, 60_000);

  it('refuses after closing, those that wait included', async () => {
    const pool = new RsaKeyPool({ size: 0, modulusLength: 1024 });
    const waiting = pool.take();
    pool.close();
    await expect(waiting).rejects.toThrow('closed');
    await expect(pool.take()).rejects.toThrow('closed');
  });
});
