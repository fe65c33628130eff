import { createJsonLogger } from './json-logger';
import { withLogContext } from './log-context';
import { NestJsonLogger } from './nest-logger';
import { redactSecrets } from './redact-secrets';

function capture(): { logger: NestJsonLogger; lines: () => Record<string, unknown>[] } {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  const logger = new NestJsonLogger(createJsonLogger({ level: 'info', destination }));
  return { logger, lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('log lines', () => {
  it('carry the name of the logger and the fields given', () => {
    const { logger, lines } = capture();
    logger.warn('lease lost', { attempt: 2 }, 'Reconciler');
    expect(lines()).toMatchObject([{ level: 40, msg: 'lease lost', context: 'Reconciler', attempt: 2 }]);
  });

  it('carry the context of the work, the innermost first', async () => {
    const { logger, lines } = capture();
    await withLogContext({ requestId: 'r1', tenant: 't1' }, async () => {
      await Promise.resolve();
      withLogContext({ tenant: 't2' }, () => logger.log('inside'));
    });
    logger.log('outside');
    expect(lines()[0]).toMatchObject({ requestId: 'r1', tenant: 't2' });
    expect(lines()[1]).not.toHaveProperty('requestId');
  });

  it('carry an error with its stack, however it is given', () => {
    const { logger, lines } = capture();
    logger.error(new Error('first'));
    logger.error('probe failed', new Error('second'), 'Prober');
    expect(lines()).toMatchObject([
      { msg: 'first', err: { message: 'first' } },
      { msg: 'probe failed', context: 'Prober', err: { message: 'second' } },
    ]);
  });

  it('leave out what is below the level', () => {
    const { logger, lines } = capture();
    logger.debug('not this');
    expect(lines()).toEqual([]);
  });

  it('never show a secret', () => {
    const { logger, lines } = capture();
    logger.log('call', { headers: { Authorization: 'Bearer abc' }, join_token: 'x', key: 'cluster-key' });
    expect(JSON.stringify(lines())).not.toMatch(/Bearer|"x"|cluster-key/);
  });
});

describe('redaction', () => {
  it.each([
    ['password', 'p'],
    ['Join-Token', 'p'],
    ['bootstrapToken', 'p'],
    ['kubeconfig', 'p'],
    ['secrets', { certs: 1 }],
  ])('hides %s', (name, value) => {
    expect(redactSecrets({ [name]: value })).toEqual({ [name]: '[redacted]' });
  });

  it('keeps reconcile keys, dates and lists', () => {
    const value = {
      key: 'cluster:0193b1f0-0000-7000-8000-000000000000',
      at: new Date(0),
      list: [{ name: 'a' }],
    };
    expect(redactSecrets(value)).toEqual(value);
  });

  it('shows only the length of bytes and stops at a depth', () => {
    expect(redactSecrets({ snapshot: Buffer.alloc(9) })).toEqual({ snapshot: '[9 bytes]' });
    const endless: Record<string, unknown> = {};
    endless['self'] = endless;
    expect(JSON.stringify(redactSecrets(endless))).toContain('[deeper]');
  });
});
