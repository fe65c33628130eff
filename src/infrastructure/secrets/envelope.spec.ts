import { randomBytes } from 'node:crypto';
import { DomainError } from '../../domain/shared/errors';
import { WrappingKey } from './envelope';

const key = new WrappingKey(randomBytes(32));
const row = '01890000-0000-7000-8000-000000000001';
const plain = Buffer.from('the bundle');

const codeOf = (action: () => unknown): string => {
  try {
    action();
    return 'opened';
  } catch (error) {
    return error instanceof DomainError ? error.code : String(error);
  }
};

describe('WrappingKey', () => {
  it('opens what it sealed, and never seals alike', () => {
    const [one, two] = [key.seal(row, plain), key.seal(row, plain)];
    expect(key.open(row, key.id, one)).toEqual(plain);
    expect(one.equals(two)).toBe(false);
    expect(one.includes(plain)).toBe(false);
  });

  it('seals an empty secret too', () => {
    expect(key.open(row, key.id, key.seal(row, Buffer.alloc(0)))).toEqual(Buffer.alloc(0));
  });

  it('notices every flipped byte', () => {
    const sealed = key.seal(row, plain);
    const opened = sealed.map((_, index) => {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      return codeOf(() => key.open(row, key.id, changed)) === 'SECRET_UNREADABLE' ? 0 : 1;
    });
    expect(opened.reduce((a, b) => a + b, 0)).toBe(0);
  });

  it.each([
    ['another row', () => key.open('01890000-0000-7000-8000-000000000002', key.id, key.seal(row, plain))],
    [
      'a key that is not this one',
      () => key.open(row, new WrappingKey(randomBytes(32)).id, key.seal(row, plain)),
    ],
    [
      'a key that claims to be this one',
      () => key.open(row, key.id, new WrappingKey(randomBytes(32)).seal(row, plain)),
    ],
    ['a cut envelope', () => key.open(row, key.id, key.seal(row, plain).subarray(0, 60))],
    ['an empty envelope', () => key.open(row, key.id, Buffer.alloc(0))],
    [
      'two envelopes mixed',
      () =>
        key.open(
          row,
          key.id,
          Buffer.concat([key.seal(row, plain).subarray(0, 61), key.seal(row, plain).subarray(61)]),
        ),
    ],
  ])('refuses %s', (_, action) => {
    expect(codeOf(action)).toBe('SECRET_UNREADABLE');
  });

  it('has an id that depends on the key alone', () => {
    const bytes = randomBytes(32);
    expect(new WrappingKey(bytes).id).toBe(new WrappingKey(bytes).id);
    expect(new WrappingKey(bytes).id).not.toBe(key.id);
    expect(() => new WrappingKey(randomBytes(16))).toThrow('32 bytes');
  });
});
