import { generateKeyPair } from 'node:crypto';

interface Waiter {
  readonly resolve: (pem: string) => void;
  readonly reject: (error: Error) => void;
}

export interface RsaKeyPoolOptions {
  /** Keys to have ready. */
  readonly size: number;
  /** Talos's service-account keys have 4096 bits. Shorter ones are for tests. */
  readonly modulusLength?: number;
}

/** libuv runs these on its four threads, which serve files, DNS and WebCrypto too: never take them all. */
const CONCURRENCY = 2;

/**
 * Ready-made RSA keys: one of 4096 bits takes seconds of CPU, which no cluster should wait for. They are made on libuv's
 * threads, so the event loop never waits either.
 */
export class RsaKeyPool {
  private readonly ready: string[] = [];
  private readonly waiters: Waiter[] = [];
  private running = 0;
  private closed = false;
  private readonly size: number;
  private readonly modulusLength: number;

  constructor({ size, modulusLength = 4096 }: RsaKeyPoolOptions) {
    this.size = size;
    this.modulusLength = modulusLength;
  }

  /** Keys that can be taken without waiting. */
  get available(): number {
    return this.ready.length;
  }

  /** Fills the pool in the background. */
  start(): void {
    this.topUp();
  }

  /** PKCS#1 PEM; from the pool, or made now when it is empty. No key is given twice. */
  async take(): Promise<string> {
    if (this.closed) {
      throw new Error('the pool of RSA keys is closed');
    }
    const key = this.ready.shift();
    const taken = key ?? new Promise<string>((resolve, reject) => this.waiters.push({ resolve, reject }));
    this.topUp();
    return taken;
  }

  /** Refuses those that wait; a key that is being made is dropped when it is done. */
  close(): void {
    this.closed = true;
    this.ready.length = 0;
    this.waiters.splice(0).forEach((w) => w.reject(new Error('the pool of RSA keys is closed')));
  }

  private topUp(): void {
    while (
      !this.closed &&
      this.running < this.allowed() &&
      this.ready.length + this.running < this.size + this.waiters.length
    ) {
      this.running += 1;
      this.generate();
    }
  }

  /** Refilling is no hurry: one thread. Someone who waits gets two. */
  private allowed(): number {
    return this.waiters.length > 0 ? CONCURRENCY : 1;
  }

  private generate(): void {
    const options = {
      modulusLength: this.modulusLength,
      publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    } as const;
    generateKeyPair('rsa', options, (error, _, privateKey) => {
      this.running -= 1;
      this.deliver(error, privateKey);
      this.topUp();
    });
  }

  private deliver(error: Error | null, key: string): void {
    if (this.closed) {
      return;
    }
    const waiter = this.waiters.shift();
    if (error !== null) {
      waiter?.reject(error);
    } else if (waiter === undefined) {
      this.ready.push(key);
    } else {
      waiter.resolve(key);
    }
  }
}
