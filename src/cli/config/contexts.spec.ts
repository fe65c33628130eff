import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeApiServer } from '../api/api-server.fake';
import { FakeTerminal } from '../terminal/terminal.fake';
import { configPath } from './config-file';

let server: FakeApiServer;
let terminal: FakeTerminal;

beforeEach(async () => {
  server = await FakeApiServer.start();
  server
    .on('GET tenants', {
      body: { items: [{ name: 'acme', displayName: 'Acme', createdAt: '' }], nextPageToken: '' },
    })
    .on('GET tenants/acme', { body: { name: 'acme' } })
    .on('GET tenants/other', { body: { name: 'other' } })
    .on('GET tenants/demo', { body: { name: 'demo' } })
    .on('GET tenants/platform', { body: { name: 'platform' } });
  terminal = new FakeTerminal();
});

afterEach(async () => {
  terminal.remove();
  await server.stop();
});

const lastAsked = () => server.asked.at(-1);

async function logIn(...flags: string[]): Promise<void> {
  terminal.stdin = 's3cret\n';
  expect(await terminal.run('login', server.url, '--token-stdin', ...flags)).toBe(0);
}

function writeQuickstart(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const quickstart = { url: server.url, tenant: 'demo', token: 'demo-token', operatorToken: 'op-token' };
  writeFileSync(path.join(folder, 'quickstart.json'), JSON.stringify(quickstart));
}

test('login checks the token, finds its tenant, and keeps both where nobody else reads', async () => {
  await logIn();
  expect(statSync(configPath(terminal)).mode & 0o777).toBe(0o600);
  expect(await terminal.run('whoami')).toBe(0);
  expect(terminal.stdout).toContain('tenant    acme\nfrom      context acme');
  expect(lastAsked()).toMatchObject({ path: 'tenants/acme', token: 's3cret' });
});

test('a token that is refused is not kept', async () => {
  server.on('GET tenants', { status: 401, body: { title: 'The token is not valid' } });
  terminal.stdin = 'wrong';
  expect(await terminal.run('login', server.url, '--token-stdin')).toBe(3);
  await terminal.run('context', 'get-contexts', '-o', 'name');
  expect(terminal.stdout).toBe('');
});

test('login without a token in sight is wrong usage', async () => {
  expect(await terminal.run('login', server.url)).toBe(2);
  expect(await terminal.run('login', 'not a url', '--token-stdin')).toBe(2);
});

test('contexts are listed without their tokens, chosen and forgotten', async () => {
  await logIn();
  await logIn('--context', 'second');
  await terminal.run('context', 'get-contexts');
  expect(terminal.stdout).toContain('*         second');
  expect(terminal.stdout).not.toContain('s3cret');
  expect(await terminal.run('context', 'use-context', 'acme')).toBe(0);
  await terminal.run('whoami');
  expect(terminal.stdout).toContain('context acme');
  expect(await terminal.run('context', 'use-context', 'none')).toBe(4);
  expect(await terminal.run('whoami', '--context', 'none')).toBe(2);
  expect(await terminal.run('context', 'delete-context', 'second')).toBe(0);
});

test('flags beat the environment, which beats the context', async () => {
  await logIn();
  terminal.env['QUORATE_TENANT'] = 'other';
  await terminal.run('whoami');
  expect(lastAsked()?.path).toBe('tenants/other');
  await terminal.run('whoami', '--tenant', 'demo');
  expect(lastAsked()?.path).toBe('tenants/demo');
  terminal.env['QUORATE_TOKEN'] = 'from-env';
  await terminal.run('whoami');
  expect(lastAsked()?.token).toBe('from-env');
  await terminal.run('whoami', '--context', 'acme');
  expect(lastAsked()).toMatchObject({ path: 'tenants/acme', token: 's3cret' });
});

test('the token of a context is never sent to another server', async () => {
  await logIn();
  const before = server.asked.length;
  expect(await terminal.run('whoami', '--endpoint', 'http://127.0.0.1:9')).toBe(3);
  expect(terminal.stderr).toContain('there is no token for http://127.0.0.1:9');
  expect(server.asked).toHaveLength(before);
});

describe('quickstart.json', () => {
  test.each([
    ['./.data', (t: FakeTerminal) => path.join(t.cwd, '.data')],
    ['QUORATE_DATA_DIR', (t: FakeTerminal) => (t.env['QUORATE_DATA_DIR'] = path.join(t.cwd, 'elsewhere'))],
  ])('in %s is used when nothing else is known, and said so once', async (_, folderOf) => {
    writeQuickstart(folderOf(terminal));
    expect(await terminal.run('whoami')).toBe(0);
    expect(lastAsked()).toMatchObject({ path: 'tenants/demo', token: 'demo-token' });
    expect(terminal.stderr.match(/Using the local installation/g)).toHaveLength(1);
  });

  test('gives the operator token for tenants other than the demo', async () => {
    writeQuickstart(path.join(terminal.cwd, '.data'));
    await terminal.run('whoami', '--tenant', 'platform');
    expect(lastAsked()).toMatchObject({ path: 'tenants/platform', token: 'op-token' });
  });

  test('loses against a context', async () => {
    writeQuickstart(path.join(terminal.cwd, '.data'));
    await logIn();
    await terminal.run('whoami');
    expect(lastAsked()?.path).toBe('tenants/acme');
  });

  test('without it, one is told to log in', async () => {
    expect(await terminal.run('cluster', 'list')).toBe(3);
    expect(terminal.stderr).toBe(
      'Error: you are not logged in to any server\n' +
        `  and no local installation has left ${path.join(terminal.cwd, '.data', 'quickstart.json')}\n` +
        'Next: set QUORATE_DATA_DIR as for npm start, or: quorate login <url> --token-stdin\n',
    );
  });
});
